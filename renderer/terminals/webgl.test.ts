import { describe, expect, test } from "vitest";
import { isGraphicsHardware, rendererName } from "./webgl.ts";

describe("WebGL", () => {
  test.each([
    "ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 (0x00002504) Direct3D11 vs_5_0 ps_5_0, D3D11)",
    "ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6)",
    "ANGLE (AMD, AMD Radeon RX 6600 (radeonsi navi23 LLVM 15.0.7), OpenGL 4.6)",
    "Apple M2",
  ])("[B6] is used on %s", (name) => {
    expect(isGraphicsHardware(name)).toBe(true);
  });

  test.each([
    "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)",
    "ANGLE (Mesa, llvmpipe (LLVM 15.0.6 256 bits), OpenGL 4.5)",
    "Mesa/X.org softpipe",
    "ANGLE (Microsoft, Microsoft Basic Render Driver (0x0000008C) Direct3D11 vs_5_0 ps_5_0, D3D11)",
    "Software Rasterizer",
    "VMware SVGA3D; build: RELEASE",
    "Mesa virgl",
    "",
    null,
  ])("[B6] is not used on %s", (name) => {
    expect(isGraphicsHardware(name)).toBe(false);
  });

  test("the context that was asked for the name is given back, and no name is no hardware", () => {
    let lost = 0;
    const context = (name: unknown) => ({
      getExtension: (extension: string) =>
        extension === "WEBGL_lose_context"
          ? { loseContext: () => void (lost += 1) }
          : { UNMASKED_RENDERER_WEBGL: 37_446 },
      getParameter: () => name,
    });
    const canvas = (made: unknown) => ({ getContext: () => made }) as unknown as HTMLCanvasElement;
    expect(rendererName(canvas(context("Apple M2")))).toBe("Apple M2");
    expect(rendererName(canvas(context(null)))).toBeNull();
    expect(lost).toBe(2);
    expect(rendererName(canvas(null))).toBeNull();
  });
});

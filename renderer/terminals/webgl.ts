import type { Terminal } from "@xterm/xterm";

/** Names of renderers that draw with the processor: there WebGL is slower than the page's own elements. */
const SOFTWARE =
  /swiftshader|llvmpipe|softpipe|lavapipe|software|swrast|basic render|microsoft basic|svga3d|virgl|paravirtual|mesa offscreen/i;

/** Is this the name of graphics hardware? Of what tells no name, nothing is believed. */
export function isGraphicsHardware(renderer: string | null): boolean {
  return renderer !== null && renderer.trim() !== "" && !SOFTWARE.test(renderer);
}

/** The unmasked name of what would draw; null when there is none, or only one with a known penalty. */
export function rendererName(canvas: Pick<HTMLCanvasElement, "getContext">): string | null {
  const context = canvas.getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (context === null) return null;
  try {
    const names = context.getExtension("WEBGL_debug_renderer_info");
    const name: unknown = names === null ? null : context.getParameter(names.UNMASKED_RENDERER_WEBGL);
    return typeof name === "string" ? name : null;
  } finally {
    // A page may have few contexts only.
    context.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

let hardware: boolean | undefined;

/**
 * Draws the terminal with WebGL where there is hardware for it. When its context is lost it is drawn with the page's own
 * elements again, as it is everywhere else.
 */
export async function drawWithHardware(terminal: Terminal): Promise<void> {
  hardware ??= isGraphicsHardware(rendererName(document.createElement("canvas")));
  if (!hardware) return;
  try {
    const { WebglAddon } = await import("@xterm/addon-webgl");
    if (terminal.element?.isConnected !== true) return;
    const addon = new WebglAddon();
    addon.onContextLoss(() => addon.dispose());
    terminal.loadAddon(addon);
  } catch {
    // It is drawn as it was: that is never wrong, only slower.
    hardware = false;
  }
}

import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = (path: string) => decodeURIComponent(new URL(path, import.meta.url).pathname);

// Two pages: the main window and the consent window. Served over the app's own scheme, so addresses stay relative.
// oxlint-disable-next-line import/no-default-export -- vite reads the default export
export default defineConfig({
  root: here("."),
  base: "./",
  plugins: [react()],
  build: {
    outDir: here("../dist/renderer"),
    emptyOutDir: true,
    target: "chrome130",
    modulePreload: { polyfill: false },
    // Fonts and icons stay files: the page's policy allows no data: addresses.
    assetsInlineLimit: 0,
    rolldownOptions: { input: { index: here("index.html"), consent: here("consent.html") } },
  },
});

// JavaScript, because `npm start` reads flags before there is a package that could read TypeScript.

/** Opens main, or a page, to anybody on the machine. Only a build from source may be debugged. */
const DEBUGGER = /^(inspect|remote-debugging|js-flags|remote-allow-origins)/;

/** Families of switches that Chromium and Electron read by themselves, as people and test drivers use them. */
const FAMILIES =
  /^(disable|enable|force|ozone|gpu|use|trace|log|net-log|proxy|window|lang|password-store|crash|vmodule)(-|$)/;

const SINGLE = new Set([
  "", // ends the switches
  "app",
  "auto-open-devtools-for-tabs",
  "autoplay-policy",
  "class",
  "headless",
  "high-dpi-support",
  "ignore-gpu-blocklist",
  "in-process-gpu",
  "no-first-run",
  "no-proxy-server",
  "no-sandbox",
  "no-zygote",
  "original-process-start-time", // Windows, when a start hands over to another
  "test-type",
  "v",
]);

/**
 * Whether a switch that is none of ours is left to Chromium and Electron.
 * @param {string} name without its dashes and its value
 * @param {boolean} packaged
 * @returns {"yes" | "no" | "debugger"}
 */
export function passesToChromium(name, packaged) {
  if (DEBUGGER.test(name)) return packaged ? "debugger" : "yes";
  return SINGLE.has(name) || FAMILIES.test(name) ? "yes" : "no";
}

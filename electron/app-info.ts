import { app } from "electron";
import type { AppInfo } from "./contract/ipc.ts";

export function appInfo(mcpUrl: string): AppInfo {
  return {
    name: app.getName(),
    version: app.getVersion(),
    electron: process.versions.electron,
    platform: process.platform,
    mcp_url: mcpUrl,
  };
}

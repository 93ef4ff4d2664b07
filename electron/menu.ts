import { Menu, type MenuItemConstructorOptions } from "electron";

/**
 * macOS needs a menu for copy, paste and quit. Elsewhere there is none: the default one's shortcuts (Ctrl+W closes the
 * window, Ctrl+R loads the page anew) belong to the terminals.
 */
export function setMenu(platform: NodeJS.Platform): void {
  const roles: MenuItemConstructorOptions[] = [
    { role: "appMenu" },
    { role: "editMenu" },
    { role: "windowMenu" },
  ];
  Menu.setApplicationMenu(platform === "darwin" ? Menu.buildFromTemplate(roles) : null);
}

// A window with nothing in it but xterm.js, the reference of bench:bridge. Its flags: --xterm=FOLDER --size=WIDTHxHEIGHT.
const path = require("node:path");
const { app, BrowserWindow } = require("electron");

const [width, height] = app.commandLine.getSwitchValue("size").split("x").map(Number);
void app.whenReady().then(() => {
  const window = new BrowserWindow({
    width,
    height,
    useContentSize: true,
    webPreferences: { sandbox: true },
  });
  return window.loadFile(path.join(__dirname, "index.html"), {
    query: { xterm: app.commandLine.getSwitchValue("xterm") },
  });
});
app.on("window-all-closed", () => app.quit());

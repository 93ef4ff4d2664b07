// Copied into the fallback runtime's resources/app/. Does what Electron's own default app does with
// `electron APP_FOLDER FLAGS`: gives the process the app's path, name and version, then runs its main file.
const { existsSync, readFileSync } = require("node:fs");
const path = require("node:path");
const { app } = require("electron");

const folder = process.argv.slice(1).find((argument) => !argument.startsWith("-"));
if (folder === undefined || !existsSync(path.join(folder, "package.json"))) {
  process.stderr.write(
    `electron: expected the folder of an app (with a package.json), got ${folder ?? "nothing"}\n`,
  );
  process.exit(1);
}
const root = path.resolve(folder);
const description = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
process.defaultApp = true;
app.setAppPath(root);
app.setName(description.productName ?? description.name);
if (description.version) app.setVersion(description.version);
require(path.join(root, description.main ?? "index.js"));

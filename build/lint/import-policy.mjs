// Who may import whom (the architecture's table as data), as a pure function from a file and what it imports.
import { builtinModules } from "node:module";
import { posix } from "node:path";

/** A folder is entered from outside only through its contract; these may. The producer owns the contract. */
const CONTRACT_READERS = {
  engine: ["mcp", "e2e"],
  bridge: ["mcp", "electron", "renderer", "e2e"],
  mcp: ["electron", "renderer", "e2e"],
  electron: ["renderer", "e2e"],
};

/** Doors beside the contracts, on purpose. The key is a path, the value who may come in. */
const OTHER_DOORS = {
  "mcp/client/": ["electron"], // the hub
  "mcp/json-schema/": ["electron"], // one check of what an application declared, in the tool server and at the gate
  "loopback/": ["bridge", "build", "e2e", "electron", "engine", "mcp"], // what every loopback server and child needs
  "build/": ["e2e"], // one way to start the app
  "electron/flag-words.mjs": ["build"], // what is no flag of the app is refused before the set-up
  "e2e/": ["build"], // a test of the list of promises
};

const RUNTIME_FOLDERS = ["bridge", "electron", "engine", "loopback", "mcp", "renderer"];
const MAY_IMPORT_ELECTRON = ["build", "e2e", "electron"];
const BUILTINS = new Set(builtinModules);
const TEST_FILE = /\.(test|e2e)\.[a-z]+$/;
/** Run by the bundler in Node, although they lie in the renderer's folder. */
const NODE_FILES_OF_RENDERER = ["renderer/vite.config.ts"];

/**
 * Why `file` may not import `specifier`, or null when it may.
 * @param {string} file path from the repository's root, with slashes
 * @param {string} specifier as written in the source
 * @returns {string | null}
 */
export function importRefusal(file, specifier) {
  const from = topFolder(file);
  if (from === null) return null;
  const name = specifier.replace(/[?#].*$/, "");
  return name.startsWith(".")
    ? fileRefusal(file, from, posix.normalize(posix.join(posix.dirname(file), name)))
    : packageRefusal(file, from, name);
}

/** @param {string} file */
export function isTestFile(file) {
  return TEST_FILE.test(file);
}

/**
 * The app is TypeScript; a script beside it is for who works on it, and speaks and reads arguments as those of build/ do.
 * @param {string} file
 */
const isDeveloperScript = (file) => file.endsWith(".mjs");

/**
 * @param {string} file
 * @param {string} from
 * @param {string} target path from the repository's root
 */
function fileRefusal(file, from, target) {
  const to = topFolder(target);
  if (isContract(file) && !isTestFile(file) && !isContract(target)) {
    return `a contract imports zod and upstream contracts, nothing else (not ${target})`;
  }
  if (to === null || to === from || target === "package.json") return null;
  if (to === "build" && (isTestFile(file) || isDeveloperScript(file))) return null;
  const door = Object.entries(OTHER_DOORS).find(([path]) => target.startsWith(path));
  if (door?.[1].includes(from)) return null;
  const readers =
    to in CONTRACT_READERS ? CONTRACT_READERS[/** @type {keyof typeof CONTRACT_READERS} */ (to)] : [];
  if (isContract(target) && readers.includes(from)) return null;
  if (isContract(target)) return `${from}/ may not import ${to}/contract/: only ${readers.join(", ")} may`;
  return `${from}/ may not import ${target}: a folder is entered from outside only through its contract/`;
}

/**
 * @param {string} file
 * @param {string} from
 * @param {string} name
 */
function packageRefusal(file, from, name) {
  const isElectron = name === "electron" || name.startsWith("electron/");
  if (isElectron && !MAY_IMPORT_ELECTRON.includes(from)) return `${from}/ imports no electron`;
  const isNode = name.startsWith("node:") || BUILTINS.has(name);
  if (isTestFile(file)) return null;
  if (isNode && from === "renderer" && !NODE_FILES_OF_RENDERER.includes(file)) {
    return `renderer/ runs in a page and imports no ${name}`;
  }
  if (isContract(file) && name !== "zod" && !name.startsWith("zod/")) {
    return `a contract imports zod and upstream contracts, nothing else (not ${name})`;
  }
  return null;
}

/** @param {string} path */
function isContract(path) {
  return RUNTIME_FOLDERS.some((folder) => path.startsWith(`${folder}/contract/`));
}

/**
 * @param {string} path
 * @returns {string | null} null for files at the root and outside the repository
 */
function topFolder(path) {
  const [first = "", rest] = path.split("/", 2);
  return rest === undefined || first === ".." || first === "." ? null : first;
}

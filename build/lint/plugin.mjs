// Lint rules of this project, loaded by .oxlintrc.json: what no ready-made rule says exactly. The ready-made
// no-restricted-imports matches import paths as they are written; these look where they lead, and see import() too.
import { relative, resolve, sep } from "node:path";
import { importRefusal, isTestFile } from "./import-policy.mjs";

/**
 * oxlint exports its types through the signature of its test tool only.
 * @typedef {Extract<Parameters<import("oxlint/plugins-dev").RuleTester["run"]>[1], { create: unknown }>} Rule
 * @typedef {Parameters<Rule["create"]>[0]} Context
 * @typedef {Parameters<NonNullable<ReturnType<Rule["create"]>["CallExpression"]>>[0]} Call
 * @typedef {Call["arguments"][number]} Expression
 */

/** Names by which code calls a page's end of the IPC. */
const PAGE_NAMES = new Set(["webContents", "contents", "sender", "senderFrame", "mainFrame"]);
const SEND_NAMES = new Set(["send", "sendToFrame"]);
/** Not the working folder: oxlint may be started in any. */
const ROOT = resolve(import.meta.dirname, "../..");
const IPC_DOOR = "electron/ipc.ts";
const SEND_DOOR = "electron/send-event.ts";

/** @param {Context} context */
function fileOf(context) {
  return relative(ROOT, context.filename).split(sep).join("/");
}

/** @type {Rule} who may import whom */
const folders = {
  create(context) {
    const file = fileOf(context);
    /** @param {Expression | null | undefined} source what names the imported thing */
    const check = (source) => {
      if (source?.type !== "Literal" || typeof source.value !== "string") return;
      const message = importRefusal(file, source.value);
      if (message !== null) context.report({ node: source, message });
    };
    return {
      ImportDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
      TSImportType: (node) => check(node.source),
      TSExternalModuleReference: (node) => check(node.expression),
      CallExpression(node) {
        if (node.callee.type === "Identifier" && node.callee.name === "require") check(node.arguments[0]);
      },
    };
  },
};

/** @type {Rule} requests of a page enter main through one file, which checks sender and arguments */
const ipcDoor = {
  create(context) {
    const file = fileOf(context);
    if (file === IPC_DOOR || isTestFile(file)) return {};
    return {
      Identifier(node) {
        if (node.name !== "ipcMain") return;
        context.report({
          node,
          message: `only ${IPC_DOOR} names ipcMain: add a row to the IPC contract instead`,
        });
      },
    };
  },
};

/** @type {Rule} events leave main for a page through one file, which checks them against the contract */
const sendDoor = {
  create(context) {
    const file = fileOf(context);
    if (file === SEND_DOOR || isTestFile(file)) return {};
    return {
      CallExpression(node) {
        const { callee } = node;
        if (callee.type !== "MemberExpression" || !SEND_NAMES.has(nameOf(callee.property))) return;
        const owner = callee.object.type === "MemberExpression" ? callee.object.property : callee.object;
        if (!PAGE_NAMES.has(nameOf(owner))) return;
        context.report({
          node,
          message: `only ${SEND_DOOR} sends to a page: add an event to the IPC contract instead`,
        });
      },
    };
  },
};

/** @param {{ type: string, name?: unknown }} node */
function nameOf(node) {
  return node.type === "Identifier" && typeof node.name === "string" ? node.name : "";
}

// oxlint-disable-next-line import/no-default-export -- oxlint reads the default export
export default {
  meta: { name: "ironbridge" },
  rules: { folders, "ipc-door": ipcDoor, "send-door": sendDoor },
};

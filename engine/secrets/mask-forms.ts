/** JSON text within JSON text within ...: so many times a value may have been escaped. */
const jsonLevels = 4;
/** A shorter piece of base64 or hex, or a shorter line, is in texts by chance. */
const shortestPiece = 8;
/** Lines of one value that are looked for by themselves, from the first on. */
const maxLines = 512;

const toUnicodeEscape = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
const withoutHtml = (text: string) => text.replace(/[<>&\u2028\u2029]/g, toUnicodeEscape);
const onlyAscii = (text: string) => text.replace(/[^\x20-\x7e]/g, toUnicodeEscape);
const withSlashes = (text: string) => text.replaceAll("/", "\\/");

/** How the writers of JSON in use differ: what they escape beyond what they must. */
const jsonWriters: ((text: string) => string)[] = [
  (text) => text,
  withoutHtml,
  onlyAscii,
  withSlashes,
  (text) => withSlashes(onlyAscii(text)),
];

const jsonOf = (text: string) => JSON.stringify(text).slice(1, -1);

/** The value as JSON writes it, once and in JSON that is a text in JSON. */
function jsonForms(value: string): string[] {
  return jsonWriters.flatMap((writer) => {
    const forms: string[] = [];
    for (let text = value; forms.length < jsonLevels;) {
      text = writer(jsonOf(text));
      forms.push(text);
    }
    return forms;
  });
}

/** As in a path, a query, a form and a whole URL, with large and small hex digits. */
function percentForms(value: string): string[] {
  // Half a surrogate pair cannot be encoded; it becomes what UTF-8 makes of it.
  const text = Buffer.from(value, "utf8").toString("utf8");
  const forms = [
    encodeURIComponent(text),
    encodeURI(text),
    new URLSearchParams({ "": text }).toString().slice(1),
  ];
  return forms.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]);
}

/** The characters of base64 that the value alone decides, wherever it stands in what was encoded. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const own = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function hexForms(value: string): string[] {
  const text = Buffer.from(value, "utf8").toString("hex");
  return [text, text.toUpperCase()];
}

/** A value as it is and in the forms in which programs put it into messages. Not the only ones there can be. */
export function escapedForms(value: string): string[] {
  const pieces = [value, jsonOf(value)].flatMap((text) => [...base64Forms(text), ...hexForms(text)]);
  return [
    value,
    ...jsonForms(value),
    ...percentForms(value),
    ...pieces.filter((piece) => piece.length >= shortestPiece),
  ];
}

/** The lines of a value that has several: a message may repeat one of them. */
export function lineForms(value: string): string[] {
  const lines = value.split(/[\r\n]+/);
  if (lines.length < 2) return [];
  return lines
    .map((line) => line.trim())
    .filter((line) => line.length >= shortestPiece)
    .slice(0, maxLines)
    .flatMap((line) => [line, ...jsonForms(line), ...percentForms(line)]);
}

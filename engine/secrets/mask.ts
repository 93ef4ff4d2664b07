import { isLosslessNumber } from "lossless-json";
import { escapedForms, lineForms } from "./mask-forms.ts";

/** Takes what must not be told on out of a text. */
export type Mask = (text: string) => string;

const mask = "***";
/** A shorter text is in every sentence: taking it out would hide nothing and spoil much. */
const shortestMasked = 4;
/** Forms are looked up by this many characters, which the shortest has. */
const headChars = shortestMasked;
/** Forms that begin alike are told apart by this many characters before they are compared as a whole. */
const beginChars = 64;
/** Characters of forms that are compared within one text. Beyond it the rest of the text is masked unread. */
const maxComparedChars = 64 * 1024 * 1024;

/**
 * Takes the values that a function was given out of a text, in every form of `mask-forms.ts`.
 * What a function returns as its result is its own; what the engine keeps about failures must hold no secret.
 */
export function maskSecrets(values: readonly string[]): Mask {
  const long = values.filter((value) => value.length >= shortestMasked);
  if (long.length === 0) return (text) => text;
  // Made when the first text comes: most calls have nothing to mask.
  let finder: Finder | undefined;
  return (text) => cover(text, (finder ??= createFinder(long)));
}

interface Form {
  begin: string;
  text: string;
}

interface Finder {
  /** By hash: false when no form begins so. */
  heads: Uint8Array;
  /** By the first characters; the longest first. */
  forms: Map<string, Form[]>;
}

const headHash = (text: string, at: number) => {
  let hash = 0;
  for (let i = 0; i < headChars; i += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at + i)) & 0xffff;
  return hash;
};

function createFinder(values: readonly string[]): Finder {
  const all = new Set(values.flatMap((value) => [...escapedForms(value), ...lineForms(value)]));
  const finder: Finder = { heads: new Uint8Array(0x1_0000), forms: new Map() };
  for (const text of [...all].sort((a, b) => b.length - a.length)) {
    if (text.length < headChars) continue;
    finder.heads[headHash(text, 0)] = 1;
    const head = text.slice(0, headChars);
    const form = { begin: text.slice(0, beginChars), text };
    const known = finder.forms.get(head);
    if (known === undefined) finder.forms.set(head, [form]);
    else known.push(form);
  }
  return finder;
}

/** Writes the mask over every place where a form is. Places that overlap are one, so no part of either is left. */
function cover(text: string, { heads, forms }: Finder): string {
  let safe = "";
  let copiedTo = 0;
  let place: { from: number; to: number } | undefined;
  let comparable = maxComparedChars;
  const write = (from: number, to: number) => {
    safe += text.slice(copiedTo, from) + mask;
    copiedTo = to;
  };
  for (let at = 0; at + headChars <= text.length; at += 1) {
    if (place !== undefined && at >= place.to) {
      write(place.from, place.to);
      place = undefined;
    }
    if (heads[headHash(text, at)] === 0) continue;
    for (const form of forms.get(text.slice(at, at + headChars)) ?? []) {
      if (place !== undefined && at + form.text.length <= place.to) break;
      if (!text.startsWith(form.begin, at)) continue;
      comparable -= form.text.length;
      if (comparable < 0) {
        write(place?.from ?? at, text.length);
        return safe;
      }
      if (!text.startsWith(form.text, at)) continue;
      place = { from: place?.from ?? at, to: at + form.text.length };
      break;
    }
  }
  if (place !== undefined) write(place.from, place.to);
  return safe + text.slice(copiedTo);
}

/** The same for every text inside an error: names of members and numbers too. */
export function maskDeep<T>(value: T, masked: Mask): T {
  const walk = (part: unknown): unknown => {
    if (typeof part === "string") return masked(part);
    if (typeof part === "number" || isLosslessNumber(part)) {
      const digits = String(part);
      const safe = masked(digits);
      return safe === digits ? part : safe;
    }
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [masked(name), walk(member)]));
  };
  // The same shape with other texts.
  return walk(value) as T;
}

/** One line of numbers: a series and its value. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const help = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) [^\n]+$/;
const type = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (gauge|counter)$/;
const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/gy;

/**
 * Reads Prometheus's text format 0.0.4 as strictly as its grammar allows: each family has one HELP and one TYPE before its
 * samples, which are together; counters end with `_total`; no series comes twice; the text ends with a line feed.
 * @throws Error that holds the line
 */
export function parsePrometheus(text: string): Sample[] {
  if (!text.endsWith("\n")) throw new Error("the last line is not ended");
  const samples: Sample[] = [];
  const seen = new Set<string>();
  const families = new Set<string>();
  let helped: string | undefined;
  let family: { name: string; type: string } | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    const [, helpName] = help.exec(line) ?? [];
    const [, typeName, typeWord] = type.exec(line) ?? [];
    if (helpName !== undefined) {
      helped = helpName;
      if (families.has(helpName)) throw new Error(`a second HELP: ${line}`);
      families.add(helpName);
    } else if (typeName !== undefined && typeWord !== undefined) {
      if (typeName !== helped) throw new Error(`a TYPE without its HELP: ${line}`);
      if ((typeWord === "counter") !== typeName.endsWith("_total")) throw new Error(`a wrong name: ${line}`);
      family = { name: typeName, type: typeWord };
    } else {
      const [, name, labels, value] = sample.exec(line) ?? [];
      if (name === undefined || name !== family?.name) throw new Error(`not a sample of its family: ${line}`);
      if (seen.has(line.slice(0, line.lastIndexOf(" ")))) throw new Error(`a series comes twice: ${line}`);
      seen.add(line.slice(0, line.lastIndexOf(" ")));
      samples.push({ name, labels: parseLabels(labels ?? "", line), value: Number(value) });
    }
  }
  return samples;
}

function parseLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let read = 0;
  for (const [all, name = "", value = ""] of text.matchAll(label)) {
    labels[name] = value;
    read += all.length;
  }
  if (read !== text.length) throw new Error(`bad labels: ${line}`);
  return labels;
}

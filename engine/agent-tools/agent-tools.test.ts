import { describe, expect, it } from "vitest";
import { checkCallbackUrl } from "./addresses.ts";
import { covers } from "./agent-tools.ts";
import { createGates } from "./gates.ts";
import { compileSchema } from "./schema.ts";

describe("where a callback may go", () => {
  const rules = { allowed: new Set(["10.1.2.3"]), privateToo: false };
  it.each([
    "http://127.0.0.1:4000/x",
    "http://[::1]:4000/x",
    "https://example.test/x",
    "http://8.8.8.8/",
    "http://10.1.2.3/",
  ])("%s is let through", (url) => {
    expect(() => checkCallbackUrl(url, rules)).not.toThrow();
  });
  it.each([
    "http://10.1.2.4/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest",
    "http://0.0.0.0/",
    "http://[::]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://[::ffff:10.1.2.4]/",
    "http://0x0a010204/",
  ])("%s is refused, but not with --dev", (url) => {
    expect(() => checkCallbackUrl(url, rules)).toThrow(/private addresses/);
    checkCallbackUrl(url, { ...rules, privateToo: true });
  });
  it.each(["ftp://x.test/", "no url", "http://user:pw@x.test/"])("%s is refused always", (url) => {
    expect(() => checkCallbackUrl(url, { ...rules, privateToo: true })).toThrow(/^callbackUrl: /);
  });
});

it.each([
  [["a.b"], "a.b", true],
  [["a.*"], "a.b", true],
  [["a.*"], "a.b.c", true],
  [["a.*"], "ab", false],
  [["*"], "a", true],
  [[], "a", false],
  [["a"], "a.b", false],
])("scopes %j cover %s: %s", (scopes, wanted, expected) => {
  expect(covers(scopes, wanted)).toBe(expected);
});

describe("a schema", () => {
  it("tells where an input does not fit, five problems at most", () => {
    const check = compileSchema(
      JSON.stringify({
        properties: Object.fromEntries(
          ["a", "b", "c", "d", "e", "f"].map((name) => [name, { type: "string" }]),
        ),
      }),
    );
    expect(check({ a: "x" })).toBeUndefined();
    expect(check([])).toMatch(/^input: must be object/);
    const problems = check({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 });
    expect(problems).toMatch(/^input\.a: must be string; /);
    expect(problems).toMatch(/; and 1 more$/);
  });

  it("honours the dialect it names, and refuses one that is not known", () => {
    const tuple = { properties: { t: { items: [{ type: "string" }] } } };
    const draft7 = { $schema: "http://json-schema.org/draft-07/schema#", ...tuple };
    expect(compileSchema(JSON.stringify(draft7))({ t: [1] })).toMatch(/^input\.t\.0: must be string/);
    expect(() => compileSchema(JSON.stringify({ $schema: "https://x.test/s" }))).toThrow(/dialect/);
  });

  it("whose pattern backtracks for ever costs a second and no more", () => {
    const check = compileSchema(JSON.stringify({ properties: { s: { pattern: "^(a+)+$" } } }));
    expect(check({ s: `${"a".repeat(64)}!` })).toMatch(/took longer than 1000 ms/);
  });
});

describe("gates", () => {
  const held = () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => (release = resolve));
    return { until, release: () => release() };
  };
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };

  it("let a registration wait for the calls before it, and the calls after it wait for it", async () => {
    const gates = createGates();
    const seen: string[] = [];
    const [first, second] = [held(), held()];
    const step = (name: string, until: Promise<void>) => async () => {
      seen.push(`${name} begins`);
      await until;
      seen.push(`${name} ends`);
    };
    const all = [
      gates.call("a", step("call 1", first.until)),
      gates.call("a", step("call 2", Promise.resolve())),
    ];
    await settle();
    all.push(gates.alone("a", step("registration", second.until)));
    await settle();
    all.push(gates.call("a", step("call 3", Promise.resolve())));
    all.push(gates.call("b", step("call of another agent", Promise.resolve())));
    await settle();
    expect(seen).not.toContain("registration begins");
    expect(seen).toContain("call of another agent ends");
    first.release();
    await settle();
    expect(seen.at(-1)).toBe("registration begins");
    second.release();
    await Promise.all(all);
    expect(seen.slice(-3)).toEqual(["registration ends", "call 3 begins", "call 3 ends"]);
  });

  it("go on after a call or a registration that failed", async () => {
    const gates = createGates();
    const fails = () => Promise.reject(new Error("no"));
    await expect(gates.call("a", fails)).rejects.toThrow("no");
    await expect(gates.alone("a", fails)).rejects.toThrow("no");
    expect(await gates.call("a", async () => 1)).toBe(1);
  });
});

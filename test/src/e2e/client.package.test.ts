/**
 * `@nts/client` as users have it: packed, installed separately, compiled under strict rules, and run in Node.js and a
 * browser.
 */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { execa } from "execa";
import ts from "typescript";
import { ROOT } from "@nts/local/processes/system";
import { OPERATIONS as TABLE } from "@nts/client/contract.generated";
import { OPERATIONS } from "@nts/shared/contract";
import { aKey, anAccount } from "../support/api.js";
import { aPerson } from "../support/browser.js";
import { startChromium } from "../support/chromium.js";
import { readBlocks } from "../support/readme.js";
import { sharedStack } from "../support/shared-stack.js";

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(process.env["NTS_TEST_DIR"] ?? "/tmp", "client-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "somebody", type: "module" }));
  await execa("npm", ["pack", "--ignore-scripts=false", "--workspace", "shared/client", "--pack-destination", folder], {
    cwd: ROOT,
  });
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  await execa("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", `./${tarball}`], { cwd: folder });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the package of the client", () => {
  it("takes less than 25 kB compressed, and runs in browsers without modules of Node", async () => {
    expect(gzipSync(await bundle(EVERYTHING)).length).toBeLessThan(25_000);
    await expect(bundle(`import "node:fs"; ${EVERYTHING}`)).rejects.toThrow("node:fs");
  });

  it("lists, follows, and creates once when the first response is lost, in a browser", async () => {
    const stack = await sharedStack();
    const [browser, account] = await Promise.all([startChromium(), anAccount(stack.url)]);
    try {
      const { page, takeFaults } = await aPerson(browser, stack.url, { account });
      const body = await bundle(EVERYTHING);
      await page.route("**/client.js", (route) => route.fulfill({ contentType: "text/javascript", body }));
      await page.goto("/api/docs");
      expect(await page.evaluate(IN_BROWSER)).toEqual({
        ...{ before: [], after: ["from a browser"], sent: 2, keys: 1 },
        change: ["created", "from a browser"],
      });
      expect(takeFaults()).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it("covers exactly the operations of the contract, except those that redirect a browser", () => {
    const returning = OPERATIONS.filter(({ redirects }) => redirects !== true);
    expect(Object.keys(TABLE)).toEqual(returning.map(({ operationId }) => operationId));
  });

  it("compiles and prints what docs/client.md shows", async () => {
    const blocks = readBlocks("docs/client.md").filter(
      ({ kind }, index, all) => kind === "ts" || all[index - 1]?.kind === "ts",
    );
    const examples = blocks.filter(({ kind }) => kind === "ts").map(({ text }) => text);
    const shown = blocks.filter(({ kind }) => kind === "text").map(({ text }) => text);
    expect(examples.length).toBeGreaterThan(6);
    expect(await printed(examples)).toEqual(shown);
    const wrong = 'await client.call("create_network", { body: { name: 1 } });';
    expect(await faultsOf([...examples, `// @ts-expect-error -- a name is a text\n${wrong}`].join("\n"))).toBe("");
  });
});

const EVERYTHING = 'export * from "@nts/client";';

/** The bundle of a program that uses the package. */
async function bundle(source: string): Promise<Buffer> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: folder },
    ...{ bundle: true, minify: true, write: false, format: "esm", platform: "browser", logLevel: "silent" },
  });
  return Buffer.from(outputFiles[0]!.contents);
}

/** A program in a page, with the session of its browser. */
const IN_BROWSER = `(async () => {
  const { createClient } = await import("/client.js");
  const namesOf = async (client) => {
    const names = [];
    for await (const { name } of client.rows("list_tags")) names.push(name);
    return names;
  };
  const sent = [];
  const losing = async (url, init) => {
    const answered = await fetch(url, init);
    sent.push(new Headers(init.headers).get("idempotency-key"));
    if (sent.length === 1) throw new TypeError("the answer is lost");
    return answered;
  };
  const client = createClient({ baseUrl: "" });
  const ending = new AbortController();
  const { meta } = await client.read("list_tags", { query: { limit: 0 } });
  const before = await namesOf(client);
  await createClient({ baseUrl: "", fetch: losing }).call("create_tag", { body: { name: "from a browser" } });
  const after = await namesOf(client);
  for await (const event of client.watch({ after: meta.changes_cursor, signal: ending.signal }))
    if (event.type === "change") {
      ending.abort();
      const { action, name } = event.change;
      return { before, after, sent: sent.length, keys: new Set(sent).size, change: [action, name] };
    }
})()`;

const NEXT = "--- next ---";

/** The output of each example, run in order as one program. */
async function printed(examples: readonly string[]): Promise<string[]> {
  const stack = await sharedStack();
  const { secret } = await aKey(stack.url, await anAccount(stack.url));
  const source = examples.join(`\nconsole.log("${NEXT}");\n`);
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  writeFileSync(join(folder, "example.js"), ts.transpileModule(source, { compilerOptions: options }).outputText);
  const env = { NTS_URL: stack.url, NTS_API_KEY: secret };
  const { stdout } = await execa("node", ["example.js"], { cwd: folder, env });
  return stdout.split(NEXT).map((text) => text.trim());
}

/** The errors of the compiler for a program that uses the package. */
async function faultsOf(source: string): Promise<string> {
  writeFileSync(
    join(folder, "example.ts"),
    `declare const process: { env: Record<string, string | undefined> };\n${source}`,
  );
  const compilerOptions = {
    ...{ strict: true, noEmit: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
    ...{ module: "NodeNext", target: "ES2022", lib: ["ES2023", "DOM"], types: [] },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["example.ts"] }));
  const compiler = join(ROOT, "node_modules/typescript-7/bin/tsc");
  return (await execa("node", [compiler, "-p", folder], { reject: false })).stdout;
}

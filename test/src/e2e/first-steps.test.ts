/** The examples of docs/first-steps.md, run exactly as printed; those in Python and Go by `npm run long -- sdk`. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import ts from "typescript";
import { parse } from "yaml";
import { run } from "@nts/cli/program";
import { aTerminalAlone } from "@nts/cli/terminal.testing";
import { ROOT } from "@nts/local/processes/system";
import { aKey, anAccount } from "../support/api.js";
import { readSections } from "../support/readme.js";
import { sharedStack } from "../support/shared-stack.js";

const sections = readSections("docs/first-steps.md");
const blockOf = (section: string, kind: string, place = 0): string =>
  sections[section]!.filter((block) => block.kind === kind)[place]!.text;

let folder: string;
let env: Record<string, string>;

beforeAll(() => {
  folder = mkdtempSync(join(process.env["NTS_TEST_DIR"] ?? "/tmp", "first-steps-"));
});
beforeEach(async () => {
  const { url } = await sharedStack();
  const { secret } = await aKey(url, await anAccount(url), { permissions: "Owner" });
  env = { PATH: process.env["PATH"] ?? "", HOME: folder, NTS_URL: url, NTS_API_KEY: secret };
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const shell = async (script: string): Promise<string> =>
  (await execa("bash", ["-euo", "pipefail", "-c", script], { cwd: folder, env, extendEnv: false })).stdout;

/** The output of commands of `nts`, in the test's own process: starting the program takes longer than most of them. */
async function nts(commands: string): Promise<string> {
  const output: string[] = [];
  for (const command of commands.split("\n")) {
    const said: string[] = [];
    const surroundings = aTerminalAlone({
      env,
      print: (text) => void output.push(text),
      say: (text) => void said.push(text),
    });
    const [program, ...words] = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, bare]) => quoted ?? bare ?? "",
    );
    const placed = words.map((word) => (word === "inventory.yaml" ? join(folder, word) : word));
    const code = await run(surroundings, "0", placed);
    if (program !== "nts" || code !== 0) throw new Error(`${command}: ${code}\n${said.join("\n")}`);
    output.push(...said);
  }
  return output.join("\n");
}

describe("the examples of docs/first-steps.md", () => {
  it("print what the page shows with curl, and tell an assistant which host has an address", async () => {
    expect(await shell(blockOf("curl", "sh"))).toBe(blockOf("curl", "text"));
    await shell(blockOf("An AI assistant", "sh"));
    const { result } = JSON.parse(readFileSync(join(folder, "answer.json"), "utf8")) as {
      result: { isError?: boolean; content: { text: string }[] };
    };
    expect(result.isError ?? false).toBe(false);
    expect(result.content[0]!.text).toContain('"nas"');
  });

  it("print what the page shows with nts", async () => {
    expect(await nts(blockOf("nts", "sh"))).toBe(blockOf("nts", "text"));
  });

  it("print what the page shows in TypeScript", async () => {
    const client = join(ROOT, "shared/client/dist/index.js");
    const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    const source = blockOf("TypeScript", "ts").replace('"@nts/client"', JSON.stringify(client));
    writeFileSync(join(folder, "example.mjs"), ts.transpileModule(source, { compilerOptions: options }).outputText);
    expect(await shell("node example.mjs")).toBe(blockOf("TypeScript", "text"));
  });

  it("apply a file as continuous integration does, once", async () => {
    writeFileSync(join(folder, "inventory.yaml"), blockOf("A file in a repository", "yaml"));
    const workflow = parse(blockOf("A file in a repository", "yaml", 1)) as {
      jobs: { apply: { steps: { run?: string }[] } };
    };
    const steps = workflow.jobs.apply.steps.flatMap(({ run: command }) => command?.match(/^nts .*/)?.[0] ?? []);
    expect(steps).toHaveLength(2);
    expect(await nts(steps.join("\n"))).toContain("created Interface 192.168.1.1");
    expect(await nts(steps.join("\n"))).not.toContain("created");
    expect(await nts("nts get hosts --network 'By file' -o name")).toBe("nas");
  });
});

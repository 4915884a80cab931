/**
 * `npm run long -- sdk`: the clients in Python and Go as users have them. Each is installed from the files that a clone has,
 * checked by the tools of its language, and does what its README, docs/first-steps.md and its example show.
 */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import { aKey, anAccount } from "../support/api.js";
import { hasPython, succeeds } from "../support/python-tools.js";
import { readBlocks, readSections } from "../support/readme.js";
import { startStack } from "../support/stack.js";

interface Place {
  readonly folder: string;
  readonly env: Record<string, string>;
}

const CHECKERS = ["mypy==2.4.1", "ruff==0.17.6"];
const NEXT = "--- next ---";

/** Tries both, or those named; returns whether all work that this machine can try. */
export async function tryClients(names: readonly string[]): Promise<boolean> {
  const chosen = Object.entries(CLIENTS).filter(([name]) => names.length === 0 || names.includes(name));
  if (chosen.length < names.length) throw new Error(`Name some of: ${Object.keys(CLIENTS).join(", ")}.`);
  const folder = await mkdtemp(join(tmpdir(), "sdk-"));
  const stack = await startStack();
  let works = true;
  try {
    await copyClone("clients", folder);
    for (const [name, { lacks, work }] of chosen) {
      const lacking = await lacks();
      const { secret } = await aKey(stack.url, await anAccount(stack.url));
      const env = { NTS_URL: stack.url, NTS_API_KEY: secret };
      const place = { folder: join(folder, "clients", name), env };
      const fault = lacking === null ? await work(place).catch((error: unknown) => String(error)) : undefined;
      console.log(`${name}: ${lacking === null ? (fault ?? "works") : `SKIPPED: ${lacking}`}`);
      works &&= fault === undefined;
    }
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return works;
}

/** Copies what a clone of the repository has of a folder. */
async function copyClone(part: string, to: string): Promise<void> {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", part];
  const { stdout } = await execa("git", list, { cwd: ROOT });
  for (const path of stdout.split("\0").filter((one) => one !== "")) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    await copyFile(join(ROOT, path), join(to, path));
  }
}

const CLIENTS: Readonly<
  Record<string, { lacks: () => Promise<string | null>; work: (place: Place) => Promise<void> }>
> = {
  python: {
    lacks: async () => ((await hasPython()) ? null : "there is no python3 of 3.11 or newer"),
    work: tryPython,
  },
  go: {
    lacks: async () => ((await succeeds("go", ["version"])) ? null : "there is no go"),
    work: tryGo,
  },
};

async function tryPython({ folder, env }: Place): Promise<void> {
  const run = (command: string, ...args: string[]): Promise<string> => output(command, args, { cwd: folder, env });
  await run("python3", "-m", "venv", "venv");
  const python = join(folder, "venv/bin/python");
  await run(python, "-m", "pip", "install", "--quiet", ".", ...CHECKERS);
  const { examples, shown } = examplesOf(readBlocks("clients/python/README.md"), "python");
  const [first] = examplesOf(readSections("docs/first-steps.md")["Python"]!, "python").examples;
  await writeFile(join(folder, "examples/readme.py"), examples.join(`\nprint("${NEXT}")\n\n`));
  await writeFile(join(folder, "examples/first_steps.py"), first!);
  await run(python, "-m", "mypy", "src", "tests", "examples");
  await run(python, "-m", "ruff", "check", "src", "tests", "examples/report.py");
  await run(python, "-m", "ruff", "format", "--check", "src", "tests", "examples/report.py");
  await run(python, "-m", "unittest", "discover", "tests");
  compare(await run(python, "examples/readme.py"), shown);
  compare(await run(python, "examples/first_steps.py"), examplesOfFirstSteps("Python", "python"));
  const report = (): Promise<string> => run(python, "examples/report.py", "cursor");
  expectText(await report(), "created Network By Python");
  if ((await report()) !== "") throw new Error("the example printed changes again");
}

async function tryGo({ folder, env }: Place): Promise<void> {
  const run = (args: readonly string[], cwd = folder): Promise<string> => output("go", args, { cwd, env });
  const unformatted = await output("gofmt", ["-l", "."], { cwd: folder });
  if (unformatted !== "") throw new Error(`gofmt would change ${unformatted}`);
  await run(["vet", "./..."]);
  await run(["test", "./..."]);
  const user = join(folder, "../user");
  const { examples, shown } = examplesOf(readBlocks("clients/go/README.md"), "go");
  const body = examples.join(`\nfmt.Println("${NEXT}")\n`);
  await mkdir(join(user, "readme"), { recursive: true });
  await mkdir(join(user, "first"));
  await writeFile(join(user, "readme/main.go"), `${GO_HEAD}func main() {\n${body}\n}\n`);
  const [first] = examplesOf(readSections("docs/first-steps.md")["Go"]!, "go").examples;
  await writeFile(join(user, "first/main.go"), first!);
  await writeFile(join(user, "go.mod"), "module example.com/user\n\ngo 1.24\n");
  const [edit = ""] = readBlocks("clients/go/README.md").flatMap(({ kind, text }) => (kind === "sh" ? [text] : []));
  await run([...edit.replace("../network-topology-service/clients/go", folder).split(" ").slice(1)], user);
  await run(["vet", "./..."], user);
  compare(await run(["run", "./readme"], user), shown);
  compare(await run(["run", "./first"], user), examplesOfFirstSteps("Go", "go"));
  const example = (): Promise<string> => run(["run", "./example", join(user, "cursor")]);
  expectText(await example(), "created Network By Go");
  if ((await example()) !== "") throw new Error("the example printed changes again");
}

const GO_HEAD = `package main

import (
\t"context"
\t"errors"
\t"fmt"
\t"log"
\t"os"

\t"example.com/nts"
)

func check(err error) {
\tif err != nil {
\t\tlog.Fatal(err)
\t}
}

`;

type Blocks = ReturnType<typeof readBlocks>;

/** The examples of a page in a language, and what each prints. */
function examplesOf(blocks: Readonly<Blocks>, kind: string): { examples: string[]; shown: string[] } {
  const found = blocks.filter((block, index) => block.kind === kind || blocks[index - 1]?.kind === kind);
  const textsOf = (wanted: string): string[] => found.flatMap((block) => (block.kind === wanted ? [block.text] : []));
  return { examples: textsOf(kind), shown: textsOf("text") };
}

function examplesOfFirstSteps(section: string, kind: string): string[] {
  return examplesOf(readSections("docs/first-steps.md")[section]!, kind).shown;
}

function compare(printed: string, shown: readonly string[]): void {
  const texts = printed.split(NEXT).map((text) => text.trim());
  const wrong = shown.findIndex((text, index) => text !== texts[index]);
  if (wrong !== -1) throw new Error(`the page shows:\n${shown[wrong]}\nprinted was:\n${texts[wrong] ?? "nothing"}`);
  if (texts.length !== shown.length) throw new Error(`printed was more than is shown:\n${printed}`);
}

function expectText(printed: string, text: string): void {
  if (!printed.includes(text)) throw new Error(`"${text}" is not in what was printed:\n${printed}`);
}

async function output(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<string> {
  const { failed, all, stdout } = await execa(command, args, { ...options, reject: false, all: true });
  if (failed) throw new Error(`${command} ${args.join(" ")}\n${all.split("\n").slice(-30).join("\n")}`);
  return stdout;
}

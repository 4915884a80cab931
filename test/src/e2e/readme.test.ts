/** The README's first five minutes, run as they stand there. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { startStack, type Stack } from "../support/stack.js";

let stack: Stack;
let folder: string;

beforeAll(async () => {
  stack = await startStack();
  folder = await mkdtemp(join(tmpdir(), "readme-"));
}, 60_000);

afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

describe("the first five minutes of the README", () => {
  it("answer what the README shows", async () => {
    const readme = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
    const part = readme.slice(readme.indexOf("## The first five minutes"), readme.indexOf("## The API in short"));
    const blocks = [...part.matchAll(/```(sh|json)\n([\s\S]*?)```/g)].map(([, kind, text]) => ({
      kind,
      text: text ?? "",
    }));
    const script = blocks.filter(({ kind }) => kind === "sh").map(({ text }) => text.trimEnd());
    const shown = blocks.filter(({ kind }) => kind === "json").map(({ text }) => text.trim());
    expect(script.length).toBeGreaterThan(4);

    const commands = script.join("\necho\n").replace("http://localhost:8080", stack.url);
    const { stdout } = await execa("bash", ["-euo", "pipefail", "-c", commands], { cwd: folder });
    const answered = stdout.split("\n").filter((line) => line.startsWith("{"));
    expect(answered.map(shapeOf)).toEqual(shown.map(shapeOf));
  });
});

/** An answer without what differs from run to run. */
function shapeOf(json: string): unknown {
  const varying = /"[0-9a-f]{8}-[0-9a-f-]{27}"|"\d{4}-\d\d-\d\dT[\d:.]+Z"/g;
  return JSON.parse(json.replaceAll(varying, '"…"')) as unknown;
}

/** The first five minutes of docs/api.md, run as they stand there. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFiveMinutes, runFiveMinutes, shapeOf } from "../support/readme.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";

let stack: SharedStack;
let folder: string;

beforeAll(async () => {
  stack = await sharedStack();
  folder = await mkdtemp(join(tmpdir(), "readme-"));
}, 60_000);

afterAll(() => rm(folder, { recursive: true }));

describe("the first five minutes of docs/api.md", () => {
  it("answer what the page shows", async () => {
    const readme = readFiveMinutes();
    expect(readme.commands.length).toBeGreaterThan(4);
    const answered = await runFiveMinutes(readme, stack.url, folder);
    expect(answered.map(shapeOf)).toEqual(readme.answers.map(shapeOf));
  });
});

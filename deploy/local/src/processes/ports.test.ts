import { describe, expect, it } from "@jest/globals";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { freePorts } from "./ports.js";

const CHOOSE = `
  const { freePorts } = await import(process.argv[1]);
  console.log(JSON.stringify(await freePorts(200)));
  process.stdin.resume(); // lives until its input ends
`;

describe("freePorts", () => {
  it("never offers one port to two live processes", async () => {
    const module = new URL("./ports.js", import.meta.url).href;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ["--input-type=module", "-e", CHOOSE, module], { stdio: ["pipe", "pipe", "inherit"] }),
    );
    const chosen = await Promise.all(
      children.map(async ({ stdout }) => {
        const [line] = (await once(stdout, "data")) as [Buffer];
        return JSON.parse(line.toString()) as number[];
      }),
    );
    expect(new Set(chosen.flat()).size).toBe(800);
    await Promise.all(
      children.map(async (child) => {
        child.stdin.end();
        await once(child, "exit");
      }),
    );
  });

  it("never offers a port twice", async () => {
    const ports = [...(await freePorts(20)), ...(await freePorts(20))];
    expect(new Set(ports).size).toBe(40);
  });
});

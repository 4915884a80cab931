import { setImmediate as afterOthers } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { createPacer, type PacerOptions } from "./pacer.js";

const pacer = (options: Partial<PacerOptions> = {}) =>
  createPacer({ atATime: 1, mostWaiting: 10, rest: () => Promise.resolve(), ...options });

async function* pieces(name: string, count: number, log: string[]): AsyncGenerator<string, void, void> {
  try {
    for (let n = 1; n <= count; n++) {
      log.push(`${name}${n} begins`);
      await afterOthers();
      log.push(`${name}${n} ends`);
      yield `${name}${n}`;
    }
  } finally {
    log.push(`${name} is closed`);
  }
}

async function all<T>(generator: AsyncGenerator<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of generator) found.push(one);
  return found;
}

describe("paced generators", () => {
  it("produce one piece at a time, round-robin, and lose none", async () => {
    const log: string[] = [];
    const paced: ReturnType<typeof pacer> = pacer();
    const both = await Promise.all([all(paced(pieces("a", 3, log), "a")), all(paced(pieces("b", 2, log), "b"))]);
    expect(both).toEqual([
      ["a1", "a2", "a3"],
      ["b1", "b2"],
    ]);
    const order = ["a1", "b1", "a2", "b2", "a3"].flatMap((piece) => [`${piece} begins`, `${piece} ends`]);
    expect(log.filter((line) => !line.endsWith("closed"))).toEqual(order);
  });

  it("take turns by caller, however many one has", async () => {
    const log: string[] = [];
    const paced: ReturnType<typeof pacer> = pacer();
    const ofCaller = (name: string): Promise<string[]> => all(paced(pieces(name, 2, log), name.slice(0, 1)));
    await Promise.all(["a1", "a2", "a3", "b"].map(ofCaller));
    const begun = log.filter((line) => line.endsWith("begins")).map((line) => line.slice(0, 1));
    expect(begun.lastIndexOf("b")).toBeLessThan(6);
  });

  it("pause after each piece", async () => {
    let rests = 0;
    const paced = pacer({ rest: () => Promise.resolve(rests++) });
    await all(paced(pieces("a", 3, []), "a"));
    expect(rests).toBe(4);
  });

  it("occupy no slot while they are not read, and are closed when their consumer stops", async () => {
    const log: string[] = [];
    const paced: ReturnType<typeof pacer> = pacer();
    const unread = paced(pieces("a", 3, log), "a");
    expect((await unread.next()).value).toBe("a1");
    expect(await all(paced(pieces("b", 1, log), "b"))).toEqual(["b1"]);
    await unread.return();
    expect(log.at(-1)).toBe("a is closed");
  });

  it("propagate an error, and release their slot", async () => {
    const paced = pacer();
    async function* failing(): AsyncGenerator<string, void, void> {
      yield await Promise.reject(new Error("no"));
    }
    await expect(all(paced(failing(), "a"))).rejects.toThrow("no");
    expect(await all(paced(pieces("b", 1, []), "b"))).toEqual(["b1"]);
  });
});

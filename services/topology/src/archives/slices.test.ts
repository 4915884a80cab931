import { describe, expect, it } from "@jest/globals";
import { createSlices } from "./slices.js";

const slices = () => createSlices(() => Promise.resolve());

describe("slices of work on the thread of requests", () => {
  it("are of one organization after the other, however many one of them has", async () => {
    const { run } = slices();
    const order: string[] = [];
    const name = (of: string) => run(of, () => order.push(of));
    await Promise.all(["a", "a", "a", "a", "b", "c", "b"].map(name));
    // The first has its turn at once.
    expect(order.join("")).toBe("aabcaba");
  });

  it("let whatever waits have its turn between any two of them", async () => {
    const { run } = slices();
    const order: string[] = [];
    const serve = (): void => {
      order.push("request");
      if (order.length < 20) setImmediate(serve);
    };
    setImmediate(serve);
    await Promise.all(["a", "b", "c", "a", "a"].map((of) => run(of, () => order.push("slice"))));
    expect(order.join(" ")).toMatch(/^slice( request slice){4}/);
  });

  it("are over after some milliseconds, and go on after a fault", async () => {
    const { run } = slices();
    const fault = run("a", () => {
      throw new Error("a fault");
    });
    await expect(fault).rejects.toThrow("a fault");
    const took = await run("a", (isOver) => {
      const begun = performance.now();
      while (!isOver());
      return performance.now() - begun;
    });
    expect(took).toBeGreaterThan(1);
    expect(took).toBeLessThan(1_000);
  });
});

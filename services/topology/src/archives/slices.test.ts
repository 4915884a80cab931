import { describe, expect, it } from "@jest/globals";
import { createSlices, SLICE_MS } from "./slices.js";

const slices = () => createSlices(() => Promise.resolve());

describe("time slices on the main thread", () => {
  it("alternate between organizations, however many slices one of them has", async () => {
    const { run } = slices();
    const order: string[] = [];
    const name = (of: string) => run(of, () => order.push(of));
    await Promise.all(["a", "a", "a", "a", "b", "c", "b"].map(name));
    // The first one runs at once.
    expect(order.join("")).toBe("aabcaba");
  });

  it("let other work run between any two of them", async () => {
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

  it("end after their milliseconds, also the one after a failure", async () => {
    let now = 0;
    const { run } = createSlices(
      () => Promise.resolve(),
      () => now,
    );
    const fault = run("a", () => {
      throw new Error("a fault");
    });
    await expect(fault).rejects.toThrow("a fault");
    await run("a", (isOver) => {
      now += SLICE_MS - 0.1;
      expect(isOver()).toBe(false);
      now += 0.1;
      expect(isOver()).toBe(true);
    });
  });
});

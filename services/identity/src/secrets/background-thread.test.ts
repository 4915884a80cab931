import { afterEach, describe, expect, it } from "@jest/globals";
import { type BackgroundThread, createBackgroundThread } from "./background-thread.js";

let thread: BackgroundThread<string, string>;

/** A thread that runs the handler for each question. */
const aThread = (handler: string, longestMs = 20_000): BackgroundThread<string, string> => {
  const source = `
    import { parentPort, threadId } from "node:worker_threads";
    parentPort.on("message", (question) => { ${handler} });
  `;
  const module = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  return createBackgroundThread({ module, memoryMb: 16, longestMs });
};

const REPEAT = "parentPort.postMessage(`${threadId} ${question}`)";

afterEach(() => thread.close());

describe("a background thread", () => {
  it("answers one question after another", async () => {
    thread = aThread(REPEAT);
    const first = await thread.ask("a");
    const second = await thread.ask("b");
    expect([first.slice(-1), second]).toEqual(["a", `${first.slice(0, -1)}b`]);
  });

  it("is replaced when it fails, is too slow, or has ended", async () => {
    thread = aThread(
      `if (question === "fail") throw new Error("failed");
       if (question !== "wait") ${REPEAT};`,
      500,
    );
    const threads = new Set([await thread.ask("a")]);
    for (const fault of ["fail", "wait"]) {
      await expect(thread.ask(fault)).rejects.toMatchObject({ code: "unavailable" });
      threads.add(await thread.ask("a"));
    }
    await thread.close();
    expect(threads.add(await thread.ask("a")).size).toBe(4);
  });
});

import { describe, expect, it } from "@jest/globals";
import { createImportRunner, RUNNER_LIMITS, type ImportRunner } from "./runner.js";
import type { Remote } from "./thread.js";

const PIECE = `{"host":"${"x".repeat(50_000)}"},`;
const PIECES = 200;

/** A runner of one import at a time, whose threads do nothing. */
function aRunner(limits: Partial<typeof RUNNER_LIMITS> = {}) {
  const threads = { running: 0, started: 0 };
  const givingWay: true[] = [];
  const runner = createImportRunner({ ...RUNNER_LIMITS, running: 1, waitMs: 50, ...limits }, () => {
    threads.running++;
    threads.started++;
    let givesWay = false;
    return {
      begin: () => ({}) as Remote,
      hasEnded: () => false,
      giveWay: () => {
        givesWay = true;
        givingWay.push(true);
      },
      hasGivenWay: () => givesWay,
      end: () => {
        threads.running--;
        return Promise.resolve();
      },
    };
  });
  return { runner, threads, givingWay };
}

async function* file(): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from("scan"));
}

/** Starts an import with this result. */
const start = (runner: ImportRunner, organization: string, pieces = PIECES, fault?: Error): AsyncGenerator<string> =>
  runner.run(organization, file(), async function* () {
    for (let n = 0; n < pieces; n++) yield await Promise.resolve(`${n}${PIECE}`);
    if (fault !== undefined) throw fault;
  });

const wholeText = (pieces: number): string => Array.from({ length: pieces }, (_, n) => `${n}${PIECE}`).join("");

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

async function ended(runner: ImportRunner): Promise<void> {
  while (runner.running() > 0) await new Promise(setImmediate);
}

describe("an import of a large file", () => {
  it("gives way to requests from its beginning", async () => {
    const { runner, givingWay } = aRunner({ smallBytes: 3 });
    expect(await textOf(start(runner, "a", 1))).toBe(wholeText(1));
    expect(givingWay).toHaveLength(1);
  });
});

describe("an import whose result is not read", () => {
  it("leaves its slot and its thread to others when it is done, and its result to be read later", async () => {
    const { runner, threads } = aRunner();
    const unread = start(runner, "a");
    const first = await unread.next();
    await ended(runner);
    expect(await textOf(start(runner, "b"))).toBe(wholeText(PIECES));
    expect(threads).toEqual({ running: 1, started: 1 });
    expect(`${String(first.value)}${await textOf(unread)}`).toBe(wholeText(PIECES));
    expect(runner.unreadBytes()).toBe(0);
  });

  it("is cut off when its organization holds too much, without effect on others", async () => {
    const { runner } = aRunner({ unread: { totalBytes: 10_000_000, organizationBytes: 100_000 } });
    const unread = start(runner, "a");
    const other = start(runner, "b", 1);
    await unread.next();
    await ended(runner);
    expect(await textOf(other)).toBe(wholeText(1));
    await expect(textOf(unread)).rejects.toMatchObject({ code: "unavailable" });
    expect(runner.unreadBytes()).toBe(0);
  });

  it("ends when its reader does, and leaves nothing", async () => {
    const { runner, threads } = aRunner();
    const left = start(runner, "a", Infinity);
    await left.next();
    await left.return(undefined);
    expect([runner.running(), runner.unreadBytes()]).toEqual([0, 0]);
    // Its thread has ended, and another one stands by.
    expect(threads).toEqual({ running: 1, started: 2 });
  });
});

describe("an import that fails", () => {
  it("fails where its result ends, or at once if it has none", async () => {
    const { runner } = aRunner();
    const fault = new Error("broken");
    await expect(start(runner, "a", 0, fault).next()).rejects.toThrow("broken");
    const later = start(runner, "a", 1, fault);
    expect((await later.next()).value).toBe(wholeText(1));
    await expect(later.next()).rejects.toThrow("broken");
    expect([runner.running(), runner.unreadBytes()]).toEqual([0, 0]);
  });
});

describe("jobs", () => {
  it("with much text run one at a time, and leave the other slots to smaller ones", async () => {
    const { runner, threads } = aRunner({ running: 4 });
    const done: string[] = [];
    const ends: (() => void)[] = [];
    const job = (name: string, textBytes: number): Promise<void> =>
      runner.runLater({ organizationId: name, isOfCollector: false }, textBytes, async () => {
        await new Promise<void>((resolve) => ends.push(resolve));
        done.push(name);
      });
    const { smallBytes } = RUNNER_LIMITS;
    const jobs = [job("large", smallBytes + 1), job("larger", 9 * smallBytes), job("small", smallBytes)];
    await new Promise(setImmediate);
    expect([runner.running(), runner.waiting(), threads.running]).toEqual([2, 1, 2]);
    while (done.length < jobs.length) {
      ends.shift()?.();
      await new Promise(setImmediate);
    }
    await Promise.all(jobs);
    expect([done, runner.running()]).toEqual([["small", "large", "larger"], 0]);
    // Some thread stands by.
    expect(threads.running).toBe(1);
  });

  it("take the thread that stands by: a new one, or that of a small import that went well", async () => {
    const { runner, threads } = aRunner();
    const { release } = await runner.receive("a", file());
    expect(threads.running).toBe(1);
    release();
    const job = (textBytes: number, fault?: Error): Promise<void> =>
      runner.runLater({ organizationId: "a", isOfCollector: false }, textBytes, () =>
        fault === undefined ? Promise.resolve() : Promise.reject(fault),
      );
    await job(1);
    await job(1);
    expect(threads).toEqual({ running: 1, started: 1 });
    await expect(job(1, new Error("broken"))).rejects.toThrow("broken");
    expect(threads).toEqual({ running: 1, started: 2 });
    await job(RUNNER_LIMITS.smallBytes + 1);
    expect(threads).toEqual({ running: 1, started: 3 });
  });

  it("of collectors run one at a time, and take no places of the people of their organization", async () => {
    const { runner } = aRunner({ running: 4, waiting: 1, waitingOfOrganization: 0 });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const job = (name: string, isOfCollector: boolean): Promise<void> =>
      runner.runLater({ organizationId: "a", isOfCollector }, 1, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
      });
    const jobs = [job("one", true), job("another", true), job("a third", true), job("of people", false)];
    await new Promise(setImmediate);
    expect([[...begun].sort(), runner.waiting()]).toEqual([["of people", "one"], 2]);
    while (begun.length < jobs.length) {
      ends.shift()?.();
      await new Promise(setImmediate);
    }
    expect(begun.slice(2)).toEqual(["another", "a third"]);
    for (const end of ends) end();
    await Promise.all(jobs);
  });
});

import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { createImportQueue, type QueueLimits } from "./queue.js";

const LIMITS: QueueLimits = {
  running: 4,
  runningOfOrganization: 2,
  waiting: 4,
  waitingOfOrganization: 2,
  waitMs: 1_000,
};
const refused = (code: string): unknown => expect.objectContaining({ code, params: { retry_after_seconds: 5 } });

/** Lets settled promises continue. */
const flushPromises = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

/** Enters the queue, and records the organization when it gets a slot. */
function enterer(queue: ReturnType<typeof createImportQueue>, order: string[]) {
  const leaves: (() => void)[] = [];
  const enter = (organization: string): Promise<void> =>
    queue.enter(organization).then((leave) => {
      order.push(organization);
      leaves.push(leave);
    });
  return { enter, leaveFirst: () => leaves.shift()!() };
}

afterEach(() => {
  jest.useRealTimers();
});

describe("concurrent imports", () => {
  it("are as many as there are slots, with two of one organization while half of the slots are free", async () => {
    const queue = createImportQueue(LIMITS);
    const order: string[] = [];
    const { enter } = enterer(queue, order);
    void enter("a");
    void enter("a");
    void enter("b");
    void enter("b").catch(() => undefined);
    void enter("c");
    await flushPromises();
    expect(order).toEqual(["a", "a", "b", "c"]);
    expect([queue.running(), queue.waiting()]).toEqual([4, 1]);
  });

  it("are followed by one of each waiting organization in turn", async () => {
    const queue = createImportQueue({ ...LIMITS, running: 1, waiting: 10, waitingOfOrganization: 4 });
    const order: string[] = [];
    const { enter, leaveFirst } = enterer(queue, order);
    for (const organization of ["a", "a", "a", "a", "b", "b", "c"]) void enter(organization);
    for (let n = 0; n < 7; n++) {
      await flushPromises();
      leaveFirst();
    }
    expect(order).toEqual(["a", "a", "b", "c", "a", "b", "a"]);
    expect([queue.running(), queue.waiting()]).toEqual([0, 0]);
  });

  it("keep others waiting for a bounded time, with Retry-After", async () => {
    jest.useFakeTimers();
    const queue = createImportQueue({ ...LIMITS, running: 1 });
    await queue.enter("a");
    const own = queue.enter("a").catch((error: unknown) => error);
    const others = queue.enter("b").catch((error: unknown) => error);
    jest.advanceTimersByTime(1_000);
    expect(await own).toEqual(refused("rate_limited"));
    expect(await others).toEqual(refused("unavailable"));
    expect(queue.waiting()).toBe(0);
  });

  it("have a bounded queue, per organization and in total", async () => {
    const queue = createImportQueue({ ...LIMITS, running: 1, waiting: 3 });
    const { enter } = enterer(queue, []);
    for (const organization of ["a", "a", "a", "b"]) void enter(organization).catch(() => undefined);
    await expect(queue.enter("a")).rejects.toEqual(refused("rate_limited"));
    await expect(queue.enter("c")).rejects.toEqual(refused("unavailable"));
  });

  it("release their slot once, however often they are released", async () => {
    const queue = createImportQueue(LIMITS);
    const leave = await queue.enter("a");
    leave();
    leave();
    expect(queue.running()).toBe(0);
  });
});

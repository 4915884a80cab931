import { describe, expect, it } from "@jest/globals";
import { createTurns, MOST_IN_A_TURN, PHASE_MS } from "./turns.js";

/** Turns whose event loop and clock a test advances. */
function steppedTurns() {
  let scheduled: (() => void)[] = [];
  let time = 0;
  const turns = createTurns(
    (turn) => scheduled.push(turn),
    () => time,
  );
  const done: string[] = [];
  const doing = (name: string) => () => void done.push(name);
  return {
    done,
    arrive: (client: string, name = client) => {
      turns.arrive(client, doing(name));
    },
    begin: (client: string, name = client) => {
      turns.begin(client, doing(name));
    },
    /** @returns what was carried out */
    step: (ms = 0): string[] => {
      time += ms;
      const now = scheduled;
      scheduled = [];
      for (const turn of now) turn();
      return done.splice(0);
    },
  };
}

describe("turns", () => {
  it("carry nothing out while tasks arrive", () => {
    const { arrive, step } = steppedTurns();
    arrive("a");
    expect(step()).toEqual([]);
    arrive("b");
    expect(step()).toEqual([]);
    expect(step()).toEqual(["a", "b"]);
    expect(step()).toEqual([]);
  });

  it("carry out one task of each client at a time", () => {
    const { arrive, step } = steppedTurns();
    for (const name of ["a1", "a2", "a3"]) arrive("a", name);
    arrive("b", "b1");
    step();
    expect([step(), step(), step(), step()]).toEqual([["a1", "b1"], ["a2"], ["a3"], []]);
  });

  it("carry out a limited number of tasks at a time, the waiting ones first", () => {
    const { arrive, step } = steppedTurns();
    for (let n = 0; n < MOST_IN_A_TURN + 1; n++) arrive(`client ${n}`);
    arrive("client 0", "again");
    step();
    expect(step()).toHaveLength(MOST_IN_A_TURN);
    expect(step()).toEqual([`client ${MOST_IN_A_TURN}`, "again"]);
  });

  it("carry tasks out in every other phase if they arrive all the time", () => {
    const { arrive, step } = steppedTurns();
    const counts = Array.from({ length: 4 }, () => {
      let count = 0;
      for (let n = 0; n < PHASE_MS; n++) {
        arrive("a");
        count += step(1).length;
      }
      return count;
    });
    expect(counts[0]).toBeLessThanOrEqual(1);
    expect(counts[1]).toBeGreaterThanOrEqual(PHASE_MS - 1);
    expect(counts[2]).toBeLessThanOrEqual(1);
    expect(counts[3]).toBeGreaterThanOrEqual(PHASE_MS - 1);
  });
});

describe("turns with other tasks", () => {
  it("begin a task at once unless others arrive", () => {
    const { arrive, begin, done, step } = steppedTurns();
    begin("early");
    expect(done.splice(0)).toEqual(["early"]);
    arrive("a");
    begin("late");
    expect(step()).toEqual([]);
    expect(step()).toEqual(["a", "late"]);
    begin("afterwards");
    expect(done).toEqual(["afterwards"]);
  });

  it("keep the order of a client's tasks, also when only an earlier one has to wait", () => {
    const { arrive, begin, done, step } = steppedTurns();
    for (let n = 0; n < MOST_IN_A_TURN; n++) arrive(`client ${n}`);
    begin("a", "first");
    step();
    // Tasks are carried out from here on, but the one that waits was not among the first.
    step(PHASE_MS);
    begin("a", "second");
    begin("b");
    expect(done.splice(0)).toEqual(["b"]);
    expect([step(), step()]).toEqual([["first"], ["second"]]);
  });

  it("go on after a task that throws", () => {
    const scheduled: (() => void)[] = [];
    const turns = createTurns((turn) => scheduled.push(turn));
    const done: string[] = [];
    const failing = (): never => {
      throw new Error("it fails");
    };
    turns.arrive("a", failing);
    turns.arrive("a", () => done.push("a"));
    scheduled.shift()?.();
    expect(scheduled.shift()).toThrow("it fails");
    scheduled.shift()?.();
    expect(done).toEqual(["a"]);
  });
});

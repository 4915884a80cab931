import { describe, expect, it } from "@jest/globals";
import { AppError } from "../errors.js";
import { createReplicas, type Replica, type Replicas } from "./replicas.js";

const named = (name: string): Replica => ({ origin: `http://${name}`, host: name });
const a = named("a");
const b = named("b");
const c = named("c");

/** Replicas that have responded to a probe. */
function replicasOf(...replicas: Replica[]): Replicas {
  const made = createReplicas();
  made.set(replicas);
  for (const { origin } of replicas) made.probed(origin, "ready");
  return made;
}

/** The names of the chosen replicas, one call after another. */
const chosen = (replicas: Replicas, times: number): string[] =>
  Array.from({ length: times }, () => {
    const call = replicas.call();
    call.responded();
    call.end();
    return call.replica.host;
  });

function fail(replicas: Replicas, replica: Replica, times: number): void {
  for (let failed = 0; failed < times;) {
    const call = replicas.call();
    if (call.replica === replica) {
      call.failed();
      failed++;
    } else call.responded();
    call.end();
  }
}

describe("the choice among replicas", () => {
  it("rotates while all are equally loaded", () => {
    expect(chosen(replicasOf(a, b, c), 6).sort()).toEqual(["a", "a", "b", "b", "c", "c"]);
  });

  it("prefers the one with the fewest open calls", () => {
    const replicas = replicasOf(a, b);
    const open = replicas.call();
    expect(new Set(chosen(replicas, 4))).toEqual(new Set([open.replica === a ? "b" : "a"]));
    open.end();
    open.end();
    expect(replicas.all().map(({ pending }) => pending)).toEqual([0, 0]);
  });

  it("prefers another one for a retry, unless that one is ejected", () => {
    const replicas = replicasOf(a, b, c);
    for (let round = 0; round < 9; round++) {
      const first = replicas.call();
      first.end();
      const second = replicas.call({ tried: [first.replica] });
      second.end();
      const third = replicas.call({ tried: [first.replica, second.replica] });
      third.end();
      expect(new Set([first.replica, second.replica, third.replica])).toEqual(new Set([a, b, c]));
    }
    for (const ejected of [b, c]) replicas.probed(ejected.origin, "unready");
    expect(replicas.call({ tried: [a] }).replica).toBe(a);
  });

  it("fails when none is known", () => {
    expect(() => createReplicas().call()).toThrow(AppError);
  });
});

describe("a failing replica", () => {
  it("is ejected after three consecutive failures, and not before", () => {
    const replicas = replicasOf(a, b);
    fail(replicas, a, 2);
    chosen(replicas, 4);
    fail(replicas, a, 2);
    expect(chosen(replicas, 4)).toContain("a");
    fail(replicas, a, 3);
    expect(chosen(replicas, 4)).not.toContain("a");
  });

  it("is ejected after three failed probes, and at once when it reports that it is not ready", () => {
    const replicas = replicasOf(a, b, c);
    for (let probe = 0; probe < 2; probe++) replicas.probed(a.origin, "nothing");
    expect(chosen(replicas, 6)).toContain("a");
    replicas.probed(a.origin, "nothing");
    replicas.probed(b.origin, "unready");
    expect(new Set(chosen(replicas, 6))).toEqual(new Set(["c"]));
  });

  it("is restored by the first successful probe", () => {
    const replicas = replicasOf(a, b);
    fail(replicas, a, 3);
    replicas.probed(a.origin, "ready");
    expect(chosen(replicas, 4)).toContain("a");
    fail(replicas, a, 2);
    expect(chosen(replicas, 4)).toContain("a");
  });

  it("is ejected despite successful probes in between", () => {
    const replicas = replicasOf(a, b);
    for (let round = 0; round < 2; round++) {
      fail(replicas, a, 1);
      replicas.probed(a.origin, "ready");
    }
    fail(replicas, a, 1);
    expect(replicas.all()).toMatchObject([{ isEjected: true }, { isEjected: false }]);
  });

  it("is used when there is no other", () => {
    const replicas = replicasOf(a);
    fail(replicas, a, 3);
    expect(chosen(replicas, 2)).toEqual(["a", "a"]);
  });

  it("releases the calls that wait for its response, and no others", () => {
    const replicas = replicasOf(a);
    const ejectedDuring: string[] = [];
    const calls = ["waiting", "answered", "ended"].map((name) =>
      replicas.call({ onEjected: () => ejectedDuring.push(name) }),
    );
    calls[1]?.responded();
    calls[2]?.end();
    replicas.probed(a.origin, "unready");
    expect(ejectedDuring).toEqual(["waiting"]);
  });
});

describe("calls that wait for a response", () => {
  it("are at most 256; more are rejected until one gets a response, fails or ends", () => {
    const replicas = replicasOf(a, b);
    const calls = Array.from({ length: 256 }, () => replicas.call());
    expect(() => replicas.call()).toThrow(AppError);
    for (const settle of ["responded", "failed", "end"] as const) {
      calls.pop()?.[settle]();
      expect(() => replicas.call()).not.toThrow();
      expect(() => replicas.call()).toThrow(AppError);
    }
    expect(replicas.waiting()).toBe(256);
  });
});

describe("the set of replicas", () => {
  it("may change under open calls, and those that stay keep their state", () => {
    const replicas = replicasOf(a, b);
    const open = replicas.call();
    replicas.probed(b.origin, "unready");
    replicas.set([named("b"), c]);
    expect(replicas.all()).toMatchObject([
      { host: "b", isEjected: true },
      { host: "c", isEjected: false },
    ]);
    open.responded();
    open.end();
    expect(replicas.waiting()).toBe(0);
    expect(new Set(chosen(replicas, 3))).toEqual(new Set(["c"]));
  });

  it("may grow by one that does not listen yet, which gets no calls until a probe succeeds", () => {
    const replicas = replicasOf(a);
    replicas.set([a, b]);
    expect(new Set(chosen(replicas, 4))).toEqual(new Set(["a"]));
    replicas.probed(b.origin, "nothing");
    expect(new Set(chosen(replicas, 4))).toEqual(new Set(["a"]));
    replicas.probed(b.origin, "ready");
    expect(new Set(chosen(replicas, 4))).toEqual(new Set(["a", "b"]));
  });

  it("falls back to replicas without a successful probe when all others have failed or there are none", () => {
    const replicas = replicasOf(a);
    replicas.set([a, b]);
    const retry = replicas.call({ tried: [a] });
    expect(retry.replica).toBe(b);
    retry.end();
    replicas.set([b, c]);
    expect(new Set([replicas.call().replica, replicas.call().replica])).toEqual(new Set([b, c]));
  });
});

import { afterEach, describe, expect, it } from "@jest/globals";
import { createUpstream, type Upstream } from "./upstream.js";

describe("the choice among replicas", () => {
  const opened: Upstream[] = [];

  afterEach(() => {
    for (const upstream of opened.splice(0)) upstream.close();
  });

  function replicas(...ports: number[]): Upstream {
    const upstream = createUpstream(ports.map((port) => `http://127.0.0.1:${port}`));
    opened.push(upstream);
    return upstream;
  }

  const portsChosen = (upstream: Upstream, times: number): string[] =>
    Array.from({ length: times }, () => upstream.choose().target.port);

  it("goes round while all have the same to do", () => {
    expect(portsChosen(replicas(1, 2, 3), 6).sort()).toEqual(["1", "1", "2", "2", "3", "3"]);
  });

  it("falls on the one with the fewest open requests", () => {
    const upstream = replicas(1, 2);
    const busy = upstream.choose();
    busy.open = 1;
    expect(new Set(portsChosen(upstream, 4))).toEqual(new Set([busy.target.port === "1" ? "2" : "1"]));
  });

  it("leaves out one that could not be reached, unless there is no other", () => {
    const upstream = replicas(1, 2);
    const gone = upstream.choose();
    upstream.rest(gone);
    expect(portsChosen(upstream, 4)).not.toContain(gone.target.port);
    const alone = replicas(1);
    alone.rest(alone.choose());
    expect(portsChosen(alone, 2)).toEqual(["1", "1"]);
  });

  it("falls on another one for a second try", () => {
    const upstream = replicas(1, 2, 3);
    for (let round = 0; round < 9; round++) {
      const first = upstream.choose();
      expect(upstream.choose(first)).not.toBe(first);
    }
  });
});

import { describe, expect, it } from "@jest/globals";
import { Histogram, Registry } from "prom-client";
import { createDurations } from "./durations.js";

describe("durations", () => {
  it("are shown as a histogram of the library shows them", async () => {
    const what = {
      name: "a_seconds",
      help: "Help.",
      labelNames: ["teller", "kind"] as const,
      buckets: [0.001, 0.5, 2],
    };
    const [ours, theirs] = [new Registry(), new Registry()];
    for (const registry of [ours, theirs]) registry.setDefaultLabels({ process: "test" });
    const durations = createDurations({ ...what, registers: [ours] });
    const histogram = new Histogram({ ...what, registers: [theirs] });
    const seconds = [0, 0.0005, 0.001, 0.0011, 0.5, 1.9999, 2, 2.5, 1_000];
    for (const labels of [
      { teller: "redis", kind: 'with "quotes"' },
      { teller: "local", kind: "b" },
    ]) {
      const count = durations.begin(labels);
      histogram.zero(labels);
      for (const one of seconds) {
        count(one);
        histogram.observe(labels, one);
      }
      count(0.25, 2);
      histogram.observe(labels, 0.25);
      histogram.observe(labels, 0.25);
    }
    expect((await ours.metrics()).split("\n").sort()).toEqual((await theirs.metrics()).split("\n").sort());
    expect(JSON.stringify(await ours.getMetricsAsJSON())).toContain("a_seconds_sum");
  });
});

import { describe, expect, it } from "@jest/globals";
import type { IncomingMessage } from "node:http";
import { createNoteForwarded } from "./forwarded-unheeded.js";

describe("edge.forwarded-unheeded", () => {
  const request = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage;
  const forwarded = request({ "x-forwarded-for": "203.0.113.9" });

  it("warns of an unheeded header once a minute, and only where no proxy is trusted", () => {
    const lines: string[] = [];
    const log = { warn: (line: string) => lines.push(line) } as never;
    let nowMs = 0;
    const clock = () => nowMs;
    const trusting = createNoteForwarded(1, log, clock);
    const trustless = createNoteForwarded(0, log, clock);
    trusting(forwarded);
    trustless(request({}));
    expect(lines).toEqual([]);
    for (nowMs = 0; nowMs < 120_000; nowMs += 1_000) trustless(forwarded);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("TRUST_PROXY_HOPS is 0");
  });
});

import { describe, expect, it } from "@jest/globals";
import { createLog } from "@nts/shared/log";
import { createKeyUses, type KeyUse, type ReportedUses } from "./key-uses.js";

const log = createLog("test", "silent");
const GATEWAY = "a gateway";
const use = (keyId: string, address: string) => ({ keyId, address, isPrevious: false });

describe("key usage reports", () => {
  it("report each key once, with its last use", async () => {
    const reported: KeyUse[][] = [];
    const uses = createKeyUses(GATEWAY, ({ uses: batch }) => Promise.resolve(reported.push(batch)), log);
    uses.record(use("a", "203.0.113.7"));
    uses.record(use("b", "203.0.113.7"));
    uses.record(use("a", "203.0.113.7"));
    await uses.stop();
    expect(reported.map((batch) => batch.map(({ key_id }) => key_id))).toEqual([["a", "b"]]);
    expect(reported[0]![0]!.used_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it("are sent in batches of a thousand", async () => {
    const sizes: number[] = [];
    const uses = createKeyUses(GATEWAY, ({ uses: batch }) => Promise.resolve(sizes.push(batch.length)), log);
    for (let key = 0; key < 2_500; key++) uses.record(use(String(key), "203.0.113.7"));
    await uses.stop();
    expect(sizes).toEqual([1_000, 1_000, 500]);
  });

  it("are kept until identity accepts them", async () => {
    const reported: string[] = [];
    let away = true;
    const uses = createKeyUses(
      GATEWAY,
      ({ uses: batch }) => {
        if (away) return Promise.reject(new Error("unavailable"));
        reported.push(...batch.map(({ key_id }) => key_id));
        return Promise.resolve();
      },
      log,
    );
    uses.record(use("a", "203.0.113.7"));
    await uses.flush();
    uses.record(use("b", "203.0.113.7"));
    away = false;
    await uses.stop();
    expect(reported.sort()).toEqual(["a", "b"]);
  });
});

describe("key usage reports: addresses and counts", () => {
  it("contain a bounded number of client addresses, also after an outage of identity", async () => {
    const reported: KeyUse[] = [];
    let away = true;
    const uses = createKeyUses(
      GATEWAY,
      ({ uses: batch }) => {
        if (away) return Promise.reject(new Error("unavailable"));
        reported.push(...batch);
        return Promise.resolve();
      },
      log,
    );
    for (let address = 1; address < 20; address++) uses.record(use("a", `203.0.113.${(address % 10) + 1}`));
    await uses.flush();
    uses.record(use("a", "203.0.113.2"));
    away = false;
    await uses.stop();
    expect(reported.map(({ addresses }) => addresses.length)).toEqual([8, 1]);
  });

  it("contain the number of requests, with the rejected ones counted separately", async () => {
    const reported: ReportedUses[] = [];
    const uses = createKeyUses(GATEWAY, (batch) => Promise.resolve(reported.push(batch)), log);
    for (let n = 0; n < 3; n++) uses.record(use("a", "203.0.113.7"));
    for (const key of ["a", "b", "b"]) uses.recordRefusal(key);
    await uses.stop();
    expect(reported[0]?.uses.map(({ key_id, requests }) => [key_id, requests])).toEqual([["a", 3]]);
    expect(reported[0]?.refusals).toEqual([
      { key_id: "a", count: 1 },
      { key_id: "b", count: 2 },
    ]);
  });

  it("are retried unchanged under the same number when the response is lost; later uses follow under the next number", async () => {
    const reported: ReportedUses[] = [];
    let isLost = true;
    const uses = createKeyUses(
      GATEWAY,
      (batch) => {
        reported.push(batch);
        return isLost ? Promise.reject(new Error("no response")) : Promise.resolve();
      },
      log,
    );
    uses.record(use("a", "203.0.113.7"));
    await uses.flush();
    uses.record(use("a", "203.0.113.7"));
    await uses.flush();
    isLost = false;
    await uses.stop();
    expect(reported.map(({ report: { gateway, number } }) => [gateway, number])).toEqual(
      [1, 1, 1, 2].map((number) => [GATEWAY, number]),
    );
    expect(reported[2]).toEqual(reported[0]);
    expect(reported.map(({ uses: [first] }) => first?.requests)).toEqual([1, 1, 1, 1]);
  });
});

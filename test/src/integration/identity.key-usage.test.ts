import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { BodyInputOf } from "@nts/shared/contract/endpoint";
import { recordKeyUses } from "@nts/shared/contract/internal";
import { deleteKey, getKeyUsage, USAGE_ADDRESSES, USAGE_DAYS } from "@nts/shared/contract/keys";
import { type Audited, startAudited } from "../support/audit.js";
import type { Person } from "../support/direct.js";
import { aReportOf } from "../support/key-uses.js";

const DAY_MS = 86_400_000;

let identity: Audited;

beforeAll(async () => {
  identity = await startAudited();
});
afterAll(() => identity.stop());

interface UsageReport extends Partial<Pick<BodyInputOf<typeof recordKeyUses>, "report">> {
  readonly requests?: number;
  readonly addresses?: string[];
  readonly refusals?: number;
}

/** A usage report of a gateway. */
function reportUsage(
  key_id: string,
  { requests = 0, addresses = [], refusals = 0, report }: UsageReport,
  replica = 0,
): Promise<unknown> {
  const used_at = new Date().toISOString();
  const uses = requests === 0 ? [] : [{ key_id, used_at, addresses, requests }];
  const refused = refusals === 0 ? [] : [{ key_id, count: refusals }];
  const body = aReportOf(uses, { ...(report && { report }), refusals: refused });
  return identity.data(recordKeyUses, { as: { kind: "process" }, replica, body });
}
const usageOf = ({ principal: as }: Person, id: string) => identity.send(getKeyUsage, { as, params: { id } });
const daysOf = async (person: Person, id: string) => (await usageOf(person, id)).data.days;
const stored = () => identity.db.collection<{ _id: string; day: string }>("key_usage");

describe("identity.key-usage: the usage of a key", () => {
  it("is returned for each of the last days, including zeros, today last", async () => {
    const person = await identity.aPerson();
    const { id } = await identity.aKey(person);
    const days = await daysOf(person, id);
    const today = new Date().toISOString().slice(0, 10);
    expect([days.length, days.at(-1)]).toEqual([USAGE_DAYS, { day: today, requests: 0, refusals: 0, addresses: [] }]);
    const gaps = days.slice(1).map(({ day }, at) => Date.parse(day) - Date.parse(days[at]!.day));
    expect([...new Set(gaps)]).toEqual([DAY_MS]);
  });

  it("sums up concurrent reports of all gateways, with one address of each block", async () => {
    const person = await identity.aPerson();
    const { id } = await identity.aKey(person);
    const addresses = ["203.0.113.7", "2001:db8::1", "2001:db8::2"];
    await Promise.all([0, 1, 0, 1].map((replica) => reportUsage(id, { requests: 5, addresses, refusals: 2 }, replica)));
    const { requests, refusals, addresses: kept } = (await daysOf(person, id)).at(-1)!;
    expect([requests, refusals, kept.length]).toEqual([20, 8, 2]);
    expect(kept).toContain("203.0.113.7");
  });

  it("counts a report once, however often, wherever and in whatever order it arrives", async () => {
    const person = await identity.aPerson();
    const { id } = await identity.aKey(person);
    const at = new Date().toISOString();
    const of = (gateway: string, number: number) => ({ requests: 5, refusals: 2, report: { gateway, number, at } });
    for (const [reported, replica] of [
      ["first", 0],
      ["first", 1],
      ["second", 0],
    ] as const)
      await reportUsage(id, of(reported, 1), replica);
    await Promise.all([0, 1, 0, 1].map((replica) => reportUsage(id, of("first", 2), replica)));
    await reportUsage(id, of("first", 1));
    expect((await daysOf(person, id)).at(-1)).toMatchObject({ requests: 15, refusals: 6 });
  });

  it("counts a report on its day, also when it arrives the next day, and both secrets of a key together", async () => {
    const person = await identity.aPerson();
    const { id } = await identity.aKey(person);
    const at = new Date(Date.now() - DAY_MS).toISOString();
    const used = { key_id: id, used_at: at, requests: 2 };
    const body = aReportOf([used, { ...used, is_previous: true }], { report: { gateway: "late", number: 1, at } });
    for (let time = 0; time < 2; time++) await identity.data(recordKeyUses, { as: { kind: "process" }, body });
    expect((await daysOf(person, id)).slice(-2).map(({ requests }) => requests)).toEqual([4, 0]);
  });
});

describe("identity.key-usage: retained usage", () => {
  it("contains a bounded number of addresses, and no more documents than days", async () => {
    const person = await identity.aPerson();
    const { id } = await identity.aKey(person);
    for (let round = 0; round < 5; round++)
      await reportUsage(id, {
        requests: 1,
        addresses: Array.from({ length: 8 }, (_, n) => `198.51.100.${round * 8 + n}`),
      });
    const today = (await daysOf(person, id)).at(-1)!;
    expect([today.requests, today.addresses.length]).toEqual([5, USAGE_ADDRESSES]);
    expect(await stored().countDocuments({ _id: { $regex: `^${id}` } })).toBe(1);
  });

  it("does not count a rejection as use, and shows neither to other users", async () => {
    const owner = await identity.aPerson();
    const colleague = await identity.aColleague(owner, { permissions: "Owner" });
    const { id } = await identity.aKey(owner);
    await reportUsage(id, { refusals: 3 });
    expect((await daysOf(owner, id)).at(-1)).toMatchObject({ requests: 0, refusals: 3, addresses: [] });
    const keys = identity.db.collection<{ _id: string; last_used: Date | null }>("api_keys");
    expect((await keys.findOne({ _id: id }))?.last_used).toBeNull();
    for (const other of [colleague, await identity.aPerson()])
      expect(await usageOf(other, id)).toMatchObject({ status: 404, code: "not_found" });
  });

  it("is deleted with the key", async () => {
    const person = await identity.aPerson();
    const { id } = await identity.aKey(person);
    await reportUsage(id, { requests: 1 });
    expect((await identity.send(deleteKey, { as: person.principal, params: { id } })).status).toBe(200);
    expect(await stored().countDocuments({ _id: { $regex: `^${id}` } })).toBe(0);
    expect((await usageOf(person, id)).status).toBe(404);
  });
});

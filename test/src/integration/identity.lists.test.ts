/** Lists of identity are read in chunks and sent in parts; their pages are those of one read. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { listNetworkIds } from "@nts/shared/contract/internal";
import { listKeys, listOrganizationKeys, type UserApiKey } from "@nts/shared/contract/keys";
import { END_OF_LIST, INTERNAL } from "@nts/shared/http/headers";
import { SHARE_LIMITS } from "@nts/shared/quotas";
import { createShares } from "@nts/shared/scheduling/shares";
import type { DirectResponse, Person } from "../support/direct.js";
import { type Identity, startIdentity } from "../support/identity.js";

const KEYS = 230;
/** Of the person whose keys name all networks: more than a dozen chunks. */
const LONG_KEYS = 100;
const NETWORKS = Array.from({ length: 1_000 }, () => randomUUID()).sort();

const shares = createShares({ streamWaitMs: 500 });

let identity: Identity;
let short: Person;
let long: Person;

beforeAll(async () => {
  const ask = (operation: unknown): Promise<never> =>
    Promise.resolve((operation === listNetworkIds ? NETWORKS : []) as never);
  identity = await startIdentity({ replicas: [{ topology: { ask }, shares }] });
  short = await withKeys(KEYS, []);
  long = await withKeys(LONG_KEYS, NETWORKS);
});
afterAll(() => identity.stop());

/** A person with keys, few of which have a name or time of their own. */
async function withKeys(count: number, network_ids: string[]): Promise<Person> {
  const person = await identity.aPerson();
  const key = await identity.aKey(person, { network_ids });
  const keys = identity.db.collection<{ _id: string }>("api_keys");
  const one = await keys.findOne({ _id: key.id });
  await keys.insertMany(
    Array.from({ length: count - 1 }, (_, n) => ({
      ...one,
      ...{ _id: randomUUID(), hash: randomUUID(), public_id: randomUUID() },
      ...{ name: `key ${n % 7}`, created_at: new Date(Date.UTC(2026, 0, 1, 0, n % 5)) },
    })),
  );
  return person;
}

interface Page extends Omit<DirectResponse<unknown>, "data"> {
  readonly data: UserApiKey[];
}

async function list(query: object, { principal: as } = short, operation: Listing = listKeys): Promise<Page> {
  return (await identity.send(operation, { as, query })) as unknown as Page;
}

type Listing = typeof listKeys | typeof listOrganizationKeys;

const idsIn = ({ data }: Page): string[] => data.map(({ id }) => id);
const nextOf = ({ headers }: Page): string | null => headers.get(INTERNAL.listNext);

describe("identity.lists: pages", () => {
  it.each(["name", "created_at"])(
    "ordered by %s are parts of the whole list, whatever their size",
    async (order_by) => {
      const whole = idsIn(await list({ limit: 0, order_by }));
      expect(new Set(whole).size).toBe(KEYS);
      for (const limit of [9, 10, 11, 100, 101, 110, 111, KEYS - 1, KEYS, 1_000])
        for (const offset of [0, 1, 105, KEYS]) {
          const page = await list({ limit, offset, order_by });
          expect(idsIn(page)).toEqual(whole.slice(offset, offset + limit));
          expect(page.headers.get(INTERNAL.listTotal)).toBe(String(KEYS));
          expect(nextOf(page) === END_OF_LIST).toBe(offset + limit >= KEYS);
        }
    },
  );

  it("continue after each other", async () => {
    const order = { order_by: "name", order_direction: "desc" };
    const whole = idsIn(await list({ limit: 0, ...order }));
    for (const limit of [10, 115]) {
      const found: string[] = [];
      for (let cursor: string | undefined; cursor !== END_OF_LIST;) {
        const page = await list({ limit, cursor, ...order });
        found.push(...idsIn(page));
        cursor = nextOf(page) ?? END_OF_LIST;
      }
      expect(found).toEqual(whole);
    }
  });
});

describe("identity.lists: rows that name a thousand networks", () => {
  it("are complete in pages and whole lists, of the user and of the organization", async () => {
    for (const operation of [listKeys, listOrganizationKeys])
      for (const limit of [0, 1_000]) {
        const { data } = await list({ limit }, long, operation);
        expect(data).toHaveLength(LONG_KEYS);
        // As texts: comparing a hundred thousand ids one by one takes longer than reading them.
        const lists = new Set(data.map(({ network_ids }) => network_ids.join()));
        expect([...lists]).toEqual([NETWORKS.join()]);
      }
  });

  it("wait for one of the organization's streams, and give it back", async () => {
    const streams = Array.from({ length: SHARE_LIMITS.streams }, () => shares.openStream(long.organizationId));
    const releases = await Promise.all(streams);
    expect(await list({ limit: 0 }, long)).toMatchObject({ status: 429, code: "rate_limited" });
    expect((await list({ limit: 0 })).status).toBe(200);
    const waiting = list({ limit: 0 }, long);
    for (const release of releases) release();
    expect((await waiting).status).toBe(200);
  });
});

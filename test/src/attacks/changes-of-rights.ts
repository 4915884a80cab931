import type { Attack, Tenant } from "../support/attacks/attack.js";
import { alongside, changeLevel, expectThat, summaryOf } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const ORGANIZATIONS = 3;
const KEYS = 32;
const CHANGES_OF_KEY = 6;
/** Of the slowest change in another organization. */
const CHANGED_MS = 1_000;

interface Changing {
  readonly tenant: Tenant;
  readonly keyIds: readonly string[];
}

interface Prepared {
  readonly all: readonly Changing[];
  readonly other: Changing;
}

/** All changes of rights are serialized. */
export const attack: Attack<Prepared> = {
  name: `changes of rights in ${ORGANIZATIONS} organizations, ${KEYS} at a time in each, alongside changes in another one`,
  prepare: async ({ newTenant }) => {
    const all = await mapConcurrently(ORGANIZATIONS, 2, async () => withKeys(await newTenant(), KEYS));
    return { all, other: await withKeys(await newTenant(), 1) };
  },
  run: async (_target, { all, other }) => {
    const attacking = all.flatMap(({ tenant, keyIds }) =>
      keyIds.map((id) => mapConcurrently(CHANGES_OF_KEY, 1, (n) => changeLevel(tenant, id, n))),
    );
    const ownChange = (n: number) => changeLevel(other.tenant, other.keyIds[0] ?? "", n);
    const [changes, own] = await alongside(Promise.all(attacking), ownChange);
    const { statuses, slowestMs } = summaryOf(own);
    const got = `${summaryOf(changes.flat()).statuses}; others ${statuses}, slowest ${slowestMs.toFixed(0)} ms`;
    expectThat(slowestMs < CHANGED_MS && own.every(({ status }) => status === 200), got);
    return got;
  },
};

async function withKeys(tenant: Tenant, count: number): Promise<Changing> {
  for (let n = 0; n < count; n++) await tenant.newKey({ name: `changing ${n}` });
  const { text } = await tenant.sendBySession("GET", "/api/v1/auth/keys?limit=1000");
  const { data } = JSON.parse(text) as { data: { id: string; name: string }[] };
  return { tenant, keyIds: data.filter(({ name }) => name.startsWith("changing")).map(({ id }) => id) };
}

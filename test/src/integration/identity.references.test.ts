import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { findTagIds, listNetworkIds } from "@nts/shared/contract/internal";
import { listInvites, createInvite } from "@nts/shared/contract/invites";
import { getKey } from "@nts/shared/contract/keys";
import { getCurrentUser, getUser, login } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import { newId } from "@nts/shared/ids";
import { type Identity, startIdentity } from "../support/identity.js";
import { mapConcurrently } from "../support/map-concurrently.js";

// Topology is simulated by its responses; no notice of a deletion arrives.
const networks = new Set<string>();
const tags = new Set<string>();
/** An organization for which topology fails. */
let failing = "";

let identity: Identity;

beforeAll(async () => {
  const ask = (operation: unknown, { params }: { params?: { id?: string } } = {}): Promise<never> => {
    if (params?.id === failing) return Promise.reject(new AppError("unavailable"));
    const texts = new Map<unknown, string[]>([
      [listNetworkIds, [...networks]],
      [findTagIds, [...tags]],
    ]);
    return Promise.resolve((texts.get(operation) ?? []) as never);
  };
  identity = await startIdentity({ replicas: [{ topology: { ask } }] });
});
afterAll(() => identity.stop());

describe("identity.references: networks and tags deleted without a notice", () => {
  it("are removed from users, keys and invites by a sweep, and existing ones stay", async () => {
    const home = newId();
    const office = newId();
    const production = newId();
    const old = newId();
    for (const id of [home, office]) networks.add(id);
    for (const id of [production, old]) tags.add(id);
    const owner = await identity.aPerson();
    const as = owner.principal;
    const user = await identity.aColleague(owner, { network_ids: [home, office] });
    const cut = await identity.aKey(owner, { network_ids: [home, office], tags: ["ci", production, old] });
    const body = { permissions: "Viewer", network_ids: [home] } as const;
    await identity.data(createInvite, { as, body: { ...body, network_ids: [home] } });
    networks.delete(home);
    tags.delete(old);

    const seen = await identity.data(getKey, { as, params: cut.params });
    expect([seen.network_ids, seen.tags]).toEqual([[office], ["ci", production]]);
    expect(await storedOf("api_keys", cut.id)).toMatchObject({ revision: 1, tags: ["ci", production, old] });

    const read = await identity.send(getUser, { as, params: { id: user.userId } });
    expect([read.data.network_ids, read.headers.get("etag")]).toEqual([[office], '"1"']);
    expect(await identity.verify("session", user.token)).toMatchObject({ principal: { networks: [home, office] } });

    await identity.sweepReferences();
    expect(await storedOf("api_keys", cut.id)).toMatchObject({ network_ids: [office], tags: ["ci", production] });
    expect(await storedOf("users", user.userId)).toMatchObject({ network_ids: [office], revision: 2 });
    expect(await identity.verify("key", cut.secret)).toMatchObject({ principal: { networks: [office] } });
    expect(await identity.data(getUser, { as, params: { id: user.userId } })).toMatchObject({ network_ids: [office] });
    expect(await identity.data(listInvites, { as })).toMatchObject([{ network_ids: [] }]);
    await identity.sweepReferences();
    expect(await storedOf("users", user.userId)).toMatchObject({ revision: 2 });
  });

  it("are removed from many keys, also after an organization for which topology fails", async () => {
    const home = newId();
    const office = newId();
    for (const id of [home, office]) networks.add(id);
    failing = (await identity.aPerson()).organizationId;
    const owner = await identity.aPerson();
    // More at a time could be refused with `write_conflict` on a busy machine.
    const keys = await mapConcurrently(60, 8, () => identity.aKey(owner, { network_ids: [home, office] }));
    const before = await identity.verify("key", keys[0]!.secret);
    networks.delete(home);
    await identity.sweepReferences();
    const stored = identity.db.collection<{ _id: string }>("api_keys").find({ organization_id: owner.organizationId });
    const expected = expect.objectContaining({ network_ids: [office], revision: 2 }) as unknown;
    expect(await stored.toArray()).toEqual(keys.map(() => expected));
    // A few keys in each change of rights, so that those of other organizations do not wait for all.
    expect((await identity.verify("key", keys[0]!.secret)).number - before.number).toBe(3);
  });
});

describe("identity.references: networks that cannot be read", () => {
  it("let no session begin, and the current user gets 503", async () => {
    const { principal, organizationId, email, password } = await identity.aPerson();
    failing = organizationId;
    expect(await identity.send(getCurrentUser, { as: principal })).toMatchObject({ status: 503, code: "unavailable" });
    const { status, headers } = await identity.send(login, { body: { email, password } });
    expect([status, headers.get("set-cookie"), headers.get("retry-after")]).toEqual([503, null, "1"]);
  });
});

const storedOf = (kind: "api_keys" | "users", _id: string) =>
  identity.db.collection<{ _id: string }>(kind).findOne({ _id });

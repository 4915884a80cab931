/** Database connections are shared by all organizations; each one is limited to its own share. */
import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, describe, expect, it } from "@jest/globals";
import { createInvite, listInvites, revokeInvite } from "@nts/shared/contract/invites";
import { deleteKey, getKey, listKeys, updateKey } from "@nts/shared/contract/keys";
import { getOrganization, updateOrganization } from "@nts/shared/contract/organizations";
import { getCurrentUser, getUser, listUsers, updateUser } from "@nts/shared/contract/users";
import { whoami } from "@nts/shared/contract/whoami";
import { createShares } from "@nts/shared/scheduling/shares";
import { sharedBy } from "@nts/identity/storage/database";
import { createKeyStore } from "@nts/identity/storage/api-keys";
import { createOrganizationStore } from "@nts/identity/storage/organizations";
import { createSessionStore } from "@nts/identity/storage/sessions";
import { createUserStore } from "@nts/identity/storage/users";
import { type Identity, startIdentity } from "../support/identity.js";

/** Collections that are read once for all organizations. */
const OF_ALL = ["counters", "gateways", "key_changes"];

let identity: Identity;
afterEach(() => identity.stop());

describe("the share of an organization in identity", () => {
  it("limits everything outside of transactions", async () => {
    const turns = new AsyncLocalStorage<string>();
    const outside = new Set<string>();
    identity = await startIdentity({
      replicas: [{ shares: { ...createShares(), use: (organization, task) => turns.run(organization, task) } }],
      onCommand: ({ commandName, command }) => {
        const collection = String(command[commandName === "getMore" ? "collection" : commandName]);
        const isUse = ["find", "getMore", "aggregate", "update", "delete", "insert"].includes(commandName);
        const isShared = OF_ALL.includes(collection) || command["autocommit"] !== undefined;
        if (isUse && !isShared && turns.getStore() === undefined) outside.add(`${commandName} ${collection}`);
      },
    });
    const person = await identity.aPerson();
    const colleague = await identity.aColleague(person, {});
    const { principal: as, organizationId } = person;
    const key = await identity.aKey(person);
    const { params, record } = key;
    const asKey = { ...as, kind: "key", credentialId: key.id } as const;
    outside.clear();
    const invite = await identity.data(createInvite, { as, body: { permissions: "Member" } });
    await identity.data(listInvites, { as });
    await identity.data(revokeInvite, { as, params: { id: invite.id } });
    for (const user of [person, colleague]) await identity.data(getUser, { as, params: { id: user.userId } });
    await identity.data(listUsers, { as });
    await identity.data(updateUser, { as, params: { id: colleague.userId }, body: { permissions: "Viewer" } });
    for (const caller of [as, asKey]) await identity.data(whoami, { as: caller });
    await identity.data(getCurrentUser, { as });
    await identity.data(getOrganization, { as });
    await identity.data(updateOrganization, { as, params: { id: organizationId }, body: { name: "another" } });
    await identity.data(listKeys, { as });
    await identity.data(getKey, { as, params });
    await identity.data(updateKey, { as, params, body: { ...record, name: "another" } });
    await identity.data(deleteKey, { as, params });
    expect([...outside]).toEqual([]);
  });
});

describe("reads in the share of an organization", () => {
  it("are shared while they wait for their turn, if they read the same document", async () => {
    identity = await startIdentity();
    const person = await identity.aPerson();
    const { organizationId, userId } = person;
    const { id } = await identity.aKey(person);
    const waiting: (() => void)[] = [];
    const nextTurn = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
    const database = sharedBy(identity.db, { use: (_organization, task) => nextTurn().then(task) });
    const keys = createKeyStore(database);
    const users = createUserStore(database);
    const organizations = createOrganizationStore(database);
    const sessions = createSessionStore(database);
    const reads = Array.from({ length: 10 }, () => [
      keys.find({ organizationId, userId }, id),
      users.get(organizationId, userId),
      organizations.get(organizationId),
      sessions.find(organizationId, userId, id),
    ]);
    expect(waiting).toHaveLength(4);
    for (const begin of waiting) begin();
    const [first = [], ...others] = await Promise.all(reads.map((some) => Promise.all(some)));
    expect(first.map((one) => one?._id)).toEqual([id, userId, organizationId, undefined]);
    for (const other of others) expect(other).toEqual(first);
  });

  it("do not delay other organizations; excess ones are rejected with Retry-After", async () => {
    identity = await startIdentity({ replicas: [{ shares: createShares({ operations: 1, waiting: 2 }) }] });
    const busy = await identity.aPerson();
    const other = await identity.aPerson();
    const sent = Array.from({ length: 100 }, () => identity.send(listUsers, { as: busy.principal }));
    expect((await identity.send(listUsers, { as: other.principal })).status).toBe(200);
    const responses = await Promise.all(sent);
    const kinds = new Set(
      responses.map(({ status, code, headers }) => `${status} ${code} ${headers.get("retry-after")}`),
    );
    expect([...kinds].sort()).toEqual(["200  null", "429 rate_limited 1"]);
  });
});

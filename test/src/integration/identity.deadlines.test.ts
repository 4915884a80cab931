import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { pullKeyChanges, recordKeyUses } from "@nts/shared/contract/internal";
import { createInvite, listInvites, revokeInvite } from "@nts/shared/contract/invites";
import { deleteKey, getKey, listKeys, rotateKey, updateKey } from "@nts/shared/contract/keys";
import { getOrganization, updateOrganization, updateOrganizationProfile } from "@nts/shared/contract/organizations";
import { changePassword, deleteUser, getCurrentUser, listUsers, logout, updateUser } from "@nts/shared/contract/users";
import { whoami } from "@nts/shared/contract/whoami";
import { keyBodyOf } from "../support/direct.js";
import { type Identity, startIdentity } from "../support/identity.js";
import { aReportOf } from "../support/key-uses.js";

/**
 * Commands without a time limit: those that end something, and getMore, which counts towards the limit of its cursor.
 */
const UNLIMITED = new Set(["getMore", "killCursors", "abortTransaction", "endSessions", "killSessions"]);

const seen = new Set<string>();
const unlimited = new Set<string>();
let identity: Identity;

beforeAll(async () => {
  identity = await startIdentity({
    onCommand: ({ commandName, command }) => {
      seen.add(commandName);
      if (UNLIMITED.has(commandName) || typeof command["maxTimeMS"] === "number") return;
      unlimited.add(`${commandName}: ${JSON.stringify(command)}`);
    },
  });
});
afterAll(() => identity.stop());

it("every database operation of identity has a server-side time limit", async () => {
  const person = await identity.aPerson();
  const colleague = await identity.aColleague(person, {});
  const { principal: as, organizationId: id } = person;
  const key = await identity.aKey(person);
  const { params } = key;
  await identity.verify("key", key.secret);
  await identity.data(updateKey, { as, params, body: keyBodyOf(person, { name: "renamed", is_enabled: false }) });
  await identity.data(recordKeyUses, {
    as: { kind: "process" },
    body: aReportOf([{ key_id: key.id, used_at: new Date().toISOString() }]),
  });
  await identity.data(rotateKey, { as, params });
  for (const read of [listKeys, listUsers, listInvites, getOrganization, getCurrentUser, whoami] as const)
    expect((await identity.send(read, { as })).status).toBe(200);
  await identity.data(getKey, { as, params });
  await identity.data(deleteKey, { as, params });
  const invite = await identity.data(createInvite, { as, body: { permissions: "Viewer" } });
  await identity.data(revokeInvite, { as, params: { id: invite.id } });
  await identity.data(updateOrganization, { as, params: { id }, body: { name: "renamed", api_access_enabled: false } });
  await identity.data(updateOrganizationProfile, { as, body: { company_size: null, job_title: "Administrator" } });
  const member = { id: colleague.userId };
  await identity.data(updateUser, { as, params: member, body: { permissions: "Viewer" } });
  const body = { current_password: colleague.password, new_password: "another horse battery staple" };
  await identity.data(changePassword, { as: colleague.principal, body });
  await identity.data(deleteUser, { as, params: member });
  await identity.data(pullKeyChanges, { as: { kind: "process" }, query: { after: 0, gateway: "gateway" } });
  await identity.data(logout, { as: (await identity.logIn(person)).principal });
  expect([...seen]).toEqual(
    expect.arrayContaining(["find", "aggregate", "update", "insert", "delete", "findAndModify"]),
  );
  expect([...unlimited]).toEqual([]);
});

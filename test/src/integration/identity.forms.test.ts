import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { unshared } from "@nts/identity/storage/database";
import { FORMS, type Forms, openDocuments, type Stored } from "@nts/identity/storage/documents";
import { createForgetNetworks } from "@nts/identity/rights/forget-networks";
import { changesTo } from "@nts/identity/model/revisions.rules";
import { createInvite, listInvites } from "@nts/shared/contract/invites";
import { getKey, listKeys, updateKey } from "@nts/shared/contract/keys";
import { getOrganization, updateOrganization } from "@nts/shared/contract/organizations";
import { changePassword, getUser, listUsers, updateUser } from "@nts/shared/contract/users";
import { type Form, rewriteOlderForms } from "@nts/shared/mongo/forms";
import { type DirectKey, keyBodyOf, type Person } from "../support/direct.js";
import { type Identity, startIdentity } from "../support/identity.js";

// The present build alongside a future one, which adds `since` to every document and `label` to keys, derived from the name.
// It stores names in capitals, has no Viewers, and rejects older sessions.

function nextForm<T extends object>(change: (stored: T) => object): Form<T> {
  return { version: 2, upgrade: (stored) => ({ since: "unknown", ...stored, ...change(stored) }) };
}
const noViewer = ({ permissions }: Pick<Stored["users"], "permissions">) =>
  permissions === "Viewer" ? { permissions: "Member" } : {};
const NEXT: Forms = {
  organizations: nextForm(({ name }) => ({ name: name.toUpperCase() })),
  users: nextForm((user) => noViewer(user)),
  invites: nextForm((invite) => noViewer(invite)),
  sessions: nextForm(() => ({ expires_at: new Date(0) })),
  api_keys: nextForm(({ name }) => ({ name: name.toUpperCase(), label: name.toUpperCase() })),
};
const PRESENT = 0;
const NEXT_BUILD = 1;
const BY_NEXT = { since: "made by the next build" };

let identity: Identity;

beforeAll(async () => {
  identity = await startIdentity({ replicas: [{ forms: FORMS }, { forms: NEXT }] });
});
afterAll(() => identity.stop());

const collectionOf = (kind: keyof Stored) => identity.db.collection<{ _id: string }>(kind);
const rawOf = (kind: keyof Stored, _id: string) => collectionOf(kind).findOne({ _id });

/** A document as the next build stores it. */
async function asNext(kind: keyof Stored, _id: string, more: object = {}): Promise<void> {
  await collectionOf(kind).updateOne({ _id }, { $set: { form: 2, ...BY_NEXT, ...more } });
}

async function aKeyOfTheNextBuild(person: Person): Promise<DirectKey> {
  const key = await identity.aKey(person, { name: "FIRST" });
  await asNext("api_keys", key.id, { label: "FIRST" });
  return key;
}

const rename = (person: Person, { params }: Pick<DirectKey, "params">, name: string, replica: number) =>
  identity.data(updateKey, { as: person.principal, params, replica, body: keyBodyOf(person, { name }) });

describe("two builds of identity on one database: writing", () => {
  it("store the form of what they write", async () => {
    const person = await identity.aPerson();
    const { id } = await identity.aKey(person);
    const invite = await identity.data(createInvite, { as: person.principal, body: { permissions: "Member" } });
    const made: Record<keyof Stored, string> = {
      ...{ organizations: person.organizationId, users: person.userId, api_keys: id, invites: invite.id },
      sessions: person.principal.credentialId,
    };
    for (const [kind, _id] of Object.entries(made))
      expect(await rawOf(kind as keyof Stored, _id)).toMatchObject({ form: FORMS[kind as keyof Stored].version });
  });

  it("keep members of a newer form when an older build writes, which stores its own form", async () => {
    const person = await identity.aPerson();
    const colleague = await identity.aColleague(person, {});
    const key = await aKeyOfTheNextBuild(person);
    await asNext("users", colleague.userId);
    await asNext("organizations", person.organizationId);
    const { principal: as, organizationId } = person;
    await rename(person, key, "second", PRESENT);
    await identity.data(updateUser, { as, params: { id: colleague.userId }, body: { permissions: "Viewer" } });
    await identity.data(updateOrganization, { as, params: { id: organizationId }, body: { name: "renamed" } });
    const kept = { form: 1, ...BY_NEXT };
    const keptOfKey = { ...kept, form: FORMS.api_keys.version, label: "FIRST" };
    expect(await rawOf("api_keys", key.id)).toMatchObject({ ...keptOfKey, name: "second" });
    expect(await rawOf("users", colleague.userId)).toMatchObject({ ...kept, permissions: "Viewer" });
    expect(await rawOf("organizations", organizationId)).toMatchObject({ ...kept, name: "renamed" });

    await asNext("users", colleague.userId);
    const body = { current_password: colleague.password, new_password: "another horse battery staple" };
    await identity.data(changePassword, { as: colleague.principal, body });
    expect(await rawOf("users", colleague.userId)).toMatchObject(kept);
    await identity.logIn({ ...colleague, password: body.new_password });
  });

  it("keep them when networks are removed by an update without a read, and remove no others", async () => {
    const person = await identity.aPerson();
    const { organizationId } = person;
    const deleted = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
    const stays = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e60";
    const key = await aKeyOfTheNextBuild(person);
    const other = await identity.aKey(person);
    await collectionOf("api_keys").updateOne({ _id: key.id }, { $set: { network_ids: [deleted, stays] } });
    await collectionOf("api_keys").updateOne({ _id: other.id }, { $set: { network_ids: [stays] } });
    const forget = createForgetNetworks(unshared(identity.db), (_work, _subjects, write) =>
      identity.db.client.withSession((session) => session.withTransaction(() => write(session))),
    );
    await forget(organizationId, [deleted]);
    const kept = { form: FORMS.api_keys.version, ...BY_NEXT, label: "FIRST" };
    expect(await rawOf("api_keys", key.id)).toMatchObject({ ...kept, network_ids: [stays], revision: 2 });
    expect(await rawOf("api_keys", other.id)).toMatchObject({ network_ids: [stays], revision: 1 });
  });
});

describe("two builds of identity on one database: reading", () => {
  it("return what the older build has stored in the newer form, wherever the newer build reads it", async () => {
    const person = await identity.aPerson();
    const { principal: as, organizationId } = person;
    const viewer = await identity.aColleague(person, { permissions: "Viewer" });
    const key = await identity.aKey(person, { name: "first" });
    await identity.data(createInvite, { as, body: { permissions: "Viewer" } });
    const of = { as, params: { id: viewer.userId } };
    const next = { as, replica: NEXT_BUILD };

    const renamed = { name: "my organization" };
    await identity.data(updateOrganization, { as, params: { id: organizationId }, body: renamed });
    expect(await identity.data(getOrganization, next)).toMatchObject({ name: "MY ORGANIZATION" });
    expect(await identity.data(getUser, { ...of, ...next })).toMatchObject({ permissions: "Member" });
    expect(await identity.data(listUsers, { ...next, query: { ids: [viewer.userId] } })).toMatchObject([
      { permissions: "Member" },
    ]);
    expect(await identity.data(listInvites, next)).toMatchObject([{ permissions: "Member" }]);
    expect(await identity.data(getKey, { ...next, params: key.params })).toMatchObject({ name: "FIRST" });
    expect(await identity.data(listKeys, next)).toMatchObject([{ name: "FIRST" }]);
    expect(await identity.verify("session", viewer.token, NEXT_BUILD)).toMatchObject({ code: "session_expired" });
    expect(await identity.verify("session", viewer.token, PRESENT)).toMatchObject({ status: "valid" });
    const viewersKey = await identity.aKey(viewer);
    await collectionOf("api_keys").updateOne({ _id: viewersKey.id }, { $set: { permissions: "Owner" } });
    expect(await identity.verify("key", viewersKey.secret, NEXT_BUILD)).toMatchObject({
      principal: { permission: "Member" },
    });
    expect(await identity.verify("key", viewersKey.secret, PRESENT)).toMatchObject({
      principal: { permission: "Viewer" },
    });
  });
});

describe("two builds of identity on one database: migrations", () => {
  it("let a migration rewrite older documents while both write, and lose no change", async () => {
    const person = await identity.aPerson();
    const made = await Promise.all(Array.from({ length: 12 }, (_, n) => identity.aKey(person, { name: `key ${n}` })));
    const { collection, understood } = openDocuments(identity.db, "api_keys", NEXT);
    const rewrite = () =>
      rewriteOlderForms(collection, 2, {
        unchanged: ({ revision }) => ({ revision }),
        fieldsOf: (stored) => changesTo(stored, understood(stored)),
      });
    const names = new Map(made.map(({ id }, n) => [id, `key ${n}`]));
    let writing = true;
    const writer = async (mine: readonly DirectKey[], replica: number): Promise<void> => {
      for (let n = 0; writing || n < mine.length; n++) {
        const key = mine[n % mine.length]!;
        await rename(person, key, `by ${replica} ${n}`, replica);
        names.set(key.id, `by ${replica} ${n}`);
      }
    };
    const writers = [writer(made.slice(0, 4), PRESENT), writer(made.slice(4, 8), NEXT_BUILD)];
    await rewrite();
    writing = false;
    await Promise.all(writers);
    await rewrite();
    for (const [_id, name] of names) {
      const stored = (await rawOf("api_keys", _id)) as { name?: string } | null;
      expect(stored).toMatchObject({ form: 2, since: "unknown" });
      expect(stored?.name?.toUpperCase()).toBe(name.toUpperCase());
      if (!name.startsWith(`by ${NEXT_BUILD}`)) expect(stored).toMatchObject({ label: name.toUpperCase() });
    }
  });
});

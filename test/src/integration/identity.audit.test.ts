import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { keepAudit } from "@nts/identity/storage/audit-retention";
import { AUDIT, createAudited, trailOf } from "@nts/identity/storage/audit-trail";
import type { AuditEntry } from "@nts/shared/contract/audit";
import { createInvite, revokeInvite } from "@nts/shared/contract/invites";
import { createKey, deleteKey, rotateKey, updateKey } from "@nts/shared/contract/keys";
import { patchOrganization, updateOrganizationProfile } from "@nts/shared/contract/organizations";
import { changePassword, deleteUser, login, logout, updateUser } from "@nts/shared/contract/users";
import { hashCredential } from "@nts/shared/credential";
import { INTERNAL, REQUEST_ID } from "@nts/shared/http/headers";
import { createTransactions } from "@nts/shared/mongo/transaction";
import { BACKGROUND } from "@nts/shared/work";
import { createUnit } from "@nts/shared/writes/unit";
import { type Audited, startAudited } from "../support/audit.js";
import { keyBodyOf, tokenOf } from "../support/direct.js";

let identity: Audited;

beforeAll(async () => {
  identity = await startAudited();
});

afterAll(() => identity.stop());

describe("identity.audit: entries", () => {
  it("record in order everything that changes an account or creates a session", async () => {
    const owner = await identity.aPerson();
    const as = owner.principal;
    const { params } = await identity.aKey(owner);
    await identity.data(updateKey, { as, params, body: keyBodyOf(owner, { name: "Other" }) });
    await identity.data(updateKey, { as, params, body: keyBodyOf(owner, { name: "Other" }) });
    await identity.data(rotateKey, { as, params });
    await identity.data(deleteKey, { as, params });
    const { id } = await identity.data(createInvite, { as, body: { permissions: "Viewer" } });
    await identity.data(revokeInvite, { as, params: { id } });
    await identity.data(patchOrganization, { as, params: { id: owner.organizationId }, body: { name: "Renamed" } });
    await identity.data(updateOrganizationProfile, { as, body: { job_title: "Admin" } });
    await identity.data(changePassword, {
      as,
      body: { current_password: owner.password, new_password: "another battery staple" },
    });
    expect(await identity.actionsOf(owner)).toEqual([
      "Organization created",
      "Session created",
      "User created",
      "UserApiKey created",
      "UserApiKey updated",
      "UserApiKey rotated",
      "UserApiKey deleted",
      "Invite created",
      "Invite deleted",
      "Organization updated",
      "Organization updated",
      "User password_changed",
      "Session deleted",
      "Session created",
    ]);
  });
});

describe("identity.audit: members, keys and requests", () => {
  it("record members who join and leave, with everything removed along", async () => {
    const owner = await identity.aPerson();
    const admin = await identity.aColleague(owner, { permissions: "Admin" });
    const { id: keyId } = await identity.aKey(admin);
    await identity.data(createInvite, { as: admin.principal, body: { permissions: "Member" } });
    const params = { id: admin.userId };
    await identity.data(updateUser, { as: owner.principal, params, body: { permissions: "Viewer" } });
    await identity.data(deleteUser, { as: owner.principal, params });
    const all = await identity.entriesOf(owner);
    expect(all.map(({ action, entity }) => `${entity} ${action}`).slice(3)).toEqual([
      "Invite created",
      "Invite accepted",
      "Session created",
      "User created",
      "UserApiKey created",
      "Invite created",
      "User updated",
      "Invite deleted",
      "User deleted",
      "UserApiKey deleted",
      "Session deleted",
    ]);
    const joined = all.find(({ action }) => action === "accepted")!;
    expect(joined.actor).toEqual({ user_id: admin.userId, key_id: null, email: admin.email });
    const demoted = all.find(({ action, entity }) => action === "updated" && entity === "User")!;
    expect(demoted).toMatchObject({
      name: admin.email,
      before: { permissions: "Admin" },
      after: { permissions: "Viewer" },
      fields: ["permissions"],
      actor: { user_id: owner.userId, key_id: null },
    });
    expect(await identity.entriesOf(owner, { entity_id: keyId })).toHaveLength(2);
  });

  it("name the user, key, request, address and reason", async () => {
    const owner = await identity.aPerson();
    const keyId = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
    const key = { ...owner.principal, kind: "key", credentialId: keyId, email: owner.email } as const;
    const headers = {
      "change-comment": "a new name",
      [REQUEST_ID]: "01a1fe11-c1c3-73e4-b600-7af4ab9ac2de",
      [INTERNAL.clientAddress]: "203.0.113.7",
    };
    await identity.data(patchOrganization, {
      ...{ as: key, headers, params: { id: owner.organizationId }, body: { name: "Renamed" } },
    });
    expect(await identity.entriesOf(owner, { key_id: keyId })).toMatchObject([
      {
        actor: { user_id: owner.userId, key_id: keyId, email: owner.email },
        address: "203.0.113.7",
        request_id: headers[REQUEST_ID],
        comment: "a new name",
        fields: ["name"],
      },
    ]);
  });
});

describe("identity.audit: what is left out", () => {
  it("shows no secret", async () => {
    const owner = await identity.aPerson();
    const { params, secret } = await identity.aKey(owner);
    const rotated = await identity.data(rotateKey, { as: owner.principal, params });
    const { token } = await identity.data(createInvite, { as: owner.principal, body: { permissions: "Member" } });
    const next = "another battery staple";
    await identity.data(changePassword, {
      ...{ as: owner.principal, body: { current_password: owner.password, new_password: next } },
    });
    const again = await identity.logIn({ email: owner.email, password: next });
    const stored = JSON.stringify(
      await identity.db.collection(AUDIT).find({ organization_id: owner.organizationId }).toArray(),
    );
    const secrets = [secret, rotated, token, owner.token, again.token];
    for (const one of [...secrets, ...secrets.map(hashCredential), owner.password, next, "$argon2"])
      expect(stored).not.toContain(one);
    for (const one of ["password_hash", `"hash"`]) expect(stored).not.toContain(one);
  });

  it("is written in the transaction of the change: a rollback leaves nothing", async () => {
    const owner = await identity.aPerson();
    const before = await identity.actionsOf(owner);
    const unit = createUnit({ isDry: true, begin: () => Promise.resolve() });
    const transaction = createAudited(createTransactions(identity.db.client), identity.db);
    await transaction({ ...BACKGROUND, unit }, [], (tx) => {
      const note = {
        action: "updated",
        entity: "User",
        entity_id: owner.userId,
        name: "",
        before: {},
        after: {},
      } as const;
      trailOf(tx).note({ organization_id: owner.organizationId, ...note });
      return Promise.resolve();
    });
    await unit.abandon();
    await identity.aKey(owner);
    expect((await identity.entriesOf(owner)).map(({ cursor }) => cursor)).toEqual(["1", "2", "3", "4"]);
    expect(await identity.actionsOf(owner)).toEqual([...before, "UserApiKey created"]);
  });

  it("has no entry for a rejected request", async () => {
    const owner = await identity.aPerson();
    const before = await identity.actionsOf(owner);
    expect(
      await identity.send(updateUser, {
        ...{ as: owner.principal, params: { id: owner.userId }, body: { permissions: "Admin" } },
      }),
    ).toMatchObject({ status: 409, code: "last_owner" });
    expect(await identity.actionsOf(owner)).toEqual(before);
  });
});

describe("identity.audit: access", () => {
  it("is allowed to Owners of the organization, with a session or an unrestricted key", async () => {
    const [owner, stranger] = await Promise.all([identity.aPerson(), identity.aPerson()]);
    const admin = await identity.aColleague(owner, { permissions: "Admin" });
    const key = { ...owner.principal, kind: "key" } as const;
    const own = { organizationId: owner.organizationId, networks: [] };
    expect(await identity.list({ principal: key })).toMatchObject({ status: 200 });
    expect(await identity.list({ principal: { ...key, scope: own } })).toMatchObject({
      ...{ status: 403, code: "permission_denied", params: { required: "all_networks" } },
    });
    expect(await identity.list(admin)).toMatchObject({ status: 403, params: { required: "Owner" } });
    const seen = JSON.stringify(await identity.entriesOf(stranger));
    for (const one of [owner, admin])
      for (const text of [one.userId, one.email, one.organizationId]) expect(seen).not.toContain(text);
  });

  it("reveals nothing of another organization whose user signs in with the same browser", async () => {
    const [owner, stranger] = await Promise.all([identity.aPerson(), identity.aPerson()]);
    const headers = { [INTERNAL.sessionHashes]: hashCredential(owner.token) };
    const { email, password } = stranger;
    await identity.data(login, { headers, body: { email, password } });
    const [ended] = await identity.entriesOf(owner, { order_direction: "desc", limit: 1 });
    expect(ended).toMatchObject({ entity: "Session", action: "deleted", actor: { user_id: owner.userId } });
    expect(JSON.stringify(await identity.entriesOf(stranger))).not.toContain(owner.userId);
  });

  it("shows Owners when sessions begin and end", async () => {
    const owner = await identity.aPerson();
    const { headers } = await identity.send(login, { body: { email: owner.email, password: owner.password } });
    await identity.data(logout, { headers: { [INTERNAL.sessionHashes]: hashCredential(tokenOf(headers)) } });
    const [started, ended] = (await identity.entriesOf(owner)).slice(-2);
    expect([started, ended]).toMatchObject([
      { entity: "Session", action: "created", before: null, actor: { user_id: owner.userId, email: owner.email } },
      { entity: "Session", action: "deleted", after: null, actor: { user_id: owner.userId, email: owner.email } },
    ]);
    expect(ended!.entity_id).toBe(started!.entity_id);
  });
});

describe("identity.audit: cursors", () => {
  it("skip nothing that is committed later, also with concurrent writers in several processes", async () => {
    const owner = await identity.aPerson();
    const followed: AuditEntry[] = [];
    let isWritten = false;
    const follow = async (): Promise<void> => {
      for (let after = "0", isLast = false; ; isLast = isWritten) {
        const { data, meta } = await identity.list(owner, { after, limit: 7 });
        followed.push(...data);
        after = meta["next"]!;
        if (isLast && data.length === 0) return;
      }
    };
    const following = follow();
    const as = owner.principal;
    const write = async (at: number): Promise<void> => {
      const replica = at % 2;
      if (at % 3 === 0) await identity.send(login, { replica, body: { email: owner.email, password: owner.password } });
      else if (at % 3 === 1) await identity.data(createKey, { as, replica, body: keyBodyOf(owner) });
      else await identity.data(updateOrganizationProfile, { as, replica, body: { job_title: `Title ${at}` } });
    };
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: 6 }, (_none, at) => write(round * 6 + at)));
    isWritten = true;
    await following;
    expect(followed.map(({ cursor }) => Number(cursor))).toEqual(followed.map((_none, at) => at + 1));
    expect(followed).toHaveLength(3 + 24);
    expect(followed.map(({ at }) => at)).toEqual(followed.map(({ at }) => at).sort());
  });

  it("page in both directions, with filters, and reject unknown cursors", async () => {
    const owner = await identity.aPerson();
    for (let key = 0; key < 5; key++) await identity.aKey(owner);
    const first = await identity.list(owner, { limit: 3, entity: "UserApiKey" });
    const rest = await identity.list(owner, { limit: 3, entity: "UserApiKey", after: first.meta["next"]! });
    expect([first.data.length, rest.data.length, rest.meta]).toEqual([3, 2, { next: "8", oldest: "0" }]);
    const newest = await identity.list(owner, { limit: 3, order_direction: "desc" });
    expect(newest.data.map(({ cursor }) => cursor)).toEqual(["8", "7", "6"]);
    const older = await identity.list(owner, { limit: 100, order_direction: "desc", after: newest.meta["next"]! });
    expect([older.data.length, older.meta["next"]]).toEqual([5, null]);
    const since = newest.data[1]!.at;
    expect((await identity.entriesOf(owner, { since })).map(({ cursor }) => cursor).slice(-2)).toEqual(["7", "8"]);
    expect((await identity.entriesOf(owner, { until: since })).every(({ at }) => at < since)).toBe(true);
    expect(await identity.actionsOf(owner, { action: "created", entity: "User" })).toEqual(["User created"]);
    expect(await identity.actionsOf(owner, { user_id: owner.organizationId })).toEqual([]);
    for (const after of ["9", "x", "-1"])
      expect(await identity.list(owner, { after })).toMatchObject({ code: "cursor_invalid" });
  });
});

describe("identity.audit: cursors before the retention period", () => {
  it("report that older entries were deleted", async () => {
    const owner = await identity.aPerson();
    await identity.aKey(owner);
    await identity.db.collection(AUDIT).deleteMany({ organization_id: owner.organizationId, n: { $lte: 2 } });
    expect(await identity.list(owner, { after: "1" })).toMatchObject({ status: 410, params: { oldest: "2" } });
    expect((await identity.list(owner, { after: "2" })).data).toHaveLength(2);
    expect((await identity.list(owner)).meta["oldest"]).toBe("2");
  });

  it("continue in an organization without retained entries", async () => {
    const owner = await identity.aPerson();
    await identity.db.collection(AUDIT).deleteMany({ organization_id: owner.organizationId });
    expect(await identity.list(owner)).toMatchObject({ status: 200, meta: { next: "3", oldest: "3" } });
    await identity.aKey(owner);
    expect(await identity.actionsOf(owner, { after: "3" })).toEqual(["UserApiKey created"]);
  });
});

describe("identity.audit: retention", () => {
  it("is the configured one, also when it was changed, and unchanged where none is configured", async () => {
    const kept = async () =>
      (await identity.db.collection(AUDIT).indexes()).flatMap(({ expireAfterSeconds = [] }) => expireAfterSeconds);
    expect(await kept()).toEqual([365 * 86_400]);
    await keepAudit(identity.db, 30);
    await keepAudit(identity.db, null);
    expect(await kept()).toEqual([30 * 86_400]);
  });
});

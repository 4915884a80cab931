import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type BodyInputOf, deleteOrganization, getOrganization, leaveOrganization } from "@nts/shared/contract";
import { createInvite } from "@nts/shared/contract/invites";
import { createKey } from "@nts/shared/contract/keys";
import { login, register, updateUser } from "@nts/shared/contract/users";
import { AppError } from "@nts/shared/errors";
import type { Endpoint } from "@nts/shared/contract/endpoint";
import { type Audited, startAudited } from "../support/audit.js";
import { keyBodyOf, type Person, tokenOf } from "../support/direct.js";

const ROUNDS = Number(process.env["LEAVING_ROUNDS"] ?? 3);
const KINDS = ["users", "api_keys", "sessions", "invites", "key_addresses"] as const;

let identity: Audited;
/** What topology was notified of, and whether it answers. */
const topology = { notified: [] as string[], isAway: false };

beforeAll(async () => {
  const ask = ({ operationId }: Endpoint, { params }: { params?: { id?: string } }): Promise<never> => {
    if (operationId !== "internal_remove_organization") return Promise.resolve([] as never);
    if (topology.isAway) return Promise.reject(new AppError("unavailable"));
    topology.notified.push(params?.id ?? "");
    return Promise.resolve(null as never);
  };
  const own = { topology: { ask } as never };
  identity = await startAudited(own, own);
});
afterAll(() => identity.stop());
beforeEach(() => {
  topology.isAway = false;
});

const NAME = "My Organization";
const remove = (
  { principal: as, organizationId: id, password }: Person,
  body: Partial<BodyInputOf<typeof deleteOrganization>> = {},
  replica = 0,
) => identity.send(deleteOrganization, { as, replica, params: { id }, body: { name: NAME, password, ...body } });
const stateOf = async (kind: "key" | "session", secret: string, replica: number) =>
  (await identity.verify(kind, secret, replica)).status;
const leftOf = async ({ organizationId: organization_id }: Person): Promise<number[]> => {
  const users = await identity.db.collection<{ _id: string }>("users").find({ organization_id }).toArray();
  const sessions = { $or: [{ organization_id }, { user_id: { $in: users.map(({ _id }) => _id) } }] };
  return Promise.all(
    KINDS.map((kind) =>
      identity.db.collection(kind).countDocuments(kind === "sessions" ? sessions : { organization_id }),
    ),
  );
};
const pending = () => identity.db.collection("organization_deletions").countDocuments();

/** An Owner, and an Admin with a key and an invite. */
async function anOrganization(): Promise<{ owner: Person; admin: Person; secret: string; invite: string }> {
  const owner = await identity.aPerson();
  const admin = await identity.aColleague(owner, { permissions: "Admin" });
  const { secret } = await identity.aKey(admin);
  const body = { permissions: "Member" } as const;
  const { token } = await identity.data(createInvite, { as: admin.principal, body });
  return { owner, admin, secret, invite: token };
}

describe("identity.organization-deletion: by the only Owner", () => {
  it("ends everything on every replica before the response: keys, sessions, logins and invites of everybody", async () => {
    const { owner, admin, secret, invite } = await anOrganization();
    const response = await remove(owner);
    expect([response.status, tokenOf(response.headers), topology.notified.at(-1)]).toEqual([
      200,
      "",
      owner.organizationId,
    ]);
    for (const replica of [0, 1]) {
      const states = [
        stateOf("key", secret, replica),
        ...[owner, admin].map(({ token }) => stateOf("session", token, replica)),
      ];
      expect(await Promise.all(states)).toEqual(["refused", "refused", "refused"]);
      const { email, password } = admin;
      const refused = await identity.send(login, { replica, body: { email, password } });
      expect([refused.status, refused.code]).toEqual([401, "invalid_credentials"]);
    }
    const joining = { email: "late@example.com", password: admin.password, invite_token: invite };
    const late = await identity.send(register, { body: joining });
    expect([late.code, late.params]).toEqual(["invalid_reference", { path: "invite_token" }]);
  });

  it("frees the addresses of its users at once, and their new accounts survive the sweep", async () => {
    const { owner, admin } = await anOrganization();
    await remove(owner);
    const { email, password } = admin;
    const again = await identity.send(register, { body: { email, password } });
    expect([again.status, again.data.permissions]).toEqual([200, "Owner"]);
    await identity.sweepOrganizations();
    expect(await stateOf("session", tokenOf(again.headers), 1)).toBe("valid");
    expect(await leftOf(owner)).toEqual(KINDS.map(() => 0));
  });

  it("is followed by a resumable sweep of this organization alone; the audit log stays", async () => {
    const { owner } = await anOrganization();
    const other = await anOrganization();
    const before = await leftOf(other.owner);
    await remove(owner);
    expect((await leftOf(owner))[0]).toBe(2);
    const stop = new AbortController();
    stop.abort();
    await identity.sweepOrganizations(stop.signal);
    expect(await pending()).toBe(1);
    await identity.sweepOrganizations();
    expect([await leftOf(owner), await leftOf(other.owner), await pending()]).toEqual([KINDS.map(() => 0), before, 0]);
    const { organizationId: organization_id } = owner;
    const last = await identity.db.collection("audit").find({ organization_id }).sort({ n: -1 }).limit(1).toArray();
    expect(last).toMatchObject([
      { action: "deleted", entity: "Organization", name: NAME, actor: { user_id: owner.userId } },
    ]);
  });
});

describe("identity.organization-deletion: preconditions", () => {
  it("do not include topology, which is notified later", async () => {
    const { owner, secret } = await anOrganization();
    topology.isAway = true;
    expect((await remove(owner)).status).toBe(200);
    expect(await stateOf("key", secret, 1)).toBe("refused");
    await expect(identity.sweepOrganizations()).rejects.toThrow();
    expect([await leftOf(owner), await pending()]).toEqual([KINDS.map(() => 0), 1]);
    topology.isAway = false;
    await identity.sweepOrganizations();
    expect([topology.notified.at(-1), await pending()]).toEqual([owner.organizationId, 0]);
  });

  it("are its name, the password, a single Owner and the current revision; otherwise nothing changes", async () => {
    const { owner, admin, secret } = await anOrganization();
    const refusals = [
      await remove(owner, { name: "my organization" }),
      await remove(owner, { password: "not this one" }),
      await remove(admin),
      await remove({ ...owner, organizationId: (await identity.aPerson()).organizationId }),
    ];
    expect(refusals.map(({ status, code }) => `${status} ${code}`)).toEqual([
      "400 validation_failed",
      "401 invalid_credentials",
      "403 permission_denied",
      "404 not_found",
    ]);
    const { principal: as, organizationId: id, password } = owner;
    const stale = { as, params: { id }, body: { name: NAME, password }, headers: { "if-match": '"another"' } };
    expect((await identity.send(deleteOrganization, stale)).code).toBe("precondition_failed");
    const second = await identity.aColleague(owner, { permissions: "Owner" });
    const others = await remove(owner);
    expect([others.status, others.code, others.params]).toEqual([409, "other_owners", { owners: 1 }]);
    expect(await stateOf("key", secret, 0)).toBe("valid");
    expect((await identity.data(getOrganization, { as: second.principal })).name).toBe(NAME);
  });
});

describe("identity.organization-deletion: concurrent changes", () => {
  it("fail it when the Owner is demoted", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await identity.aPerson();
      const second = await identity.aColleague(owner, { permissions: "Owner" });
      const demoting = { as: owner.principal, params: { id: second.userId }, body: { permissions: "Admin" } } as const;
      const [demoted, removed] = await Promise.all([identity.send(updateUser, demoting), remove(second, {}, 1)]);
      expect([demoted.status, [403, 409].includes(removed.status)]).toEqual([200, true]);
    }
  });

  it("fail it while there are two Owners, until one of them leaves", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await identity.aPerson();
      const second = await identity.aColleague(owner, { permissions: "Owner" });
      const both = await Promise.all([remove(owner), remove(second, {}, 1)]);
      expect(both.map(({ code }) => code)).toEqual(["other_owners", "other_owners"]);
      const { principal: as, password } = second;
      const [left, removed] = await Promise.all([
        identity.send(leaveOrganization, { as, body: { password } }),
        remove(owner, {}, 1),
      ]);
      expect([left.status, [200, 409].includes(removed.status)]).toEqual([200, true]);
      if (removed.status === 409) expect((await remove(owner)).status).toBe(200);
    }
  });

  it("add no user and no key that the sweep does not delete", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { owner, admin, invite } = await anOrganization();
      const joining = {
        email: `joins-${round}-${owner.userId}@example.com`,
        password: owner.password,
        invite_token: invite,
      };
      const [joined, made] = await Promise.all([
        identity.send(register, { replica: 1, body: joining }),
        identity.send(createKey, { replica: 1, as: admin.principal, body: keyBodyOf(admin) }),
        remove(owner),
      ]);
      if (joined.status === 200) expect(await stateOf("session", tokenOf(joined.headers), 1)).toBe("refused");
      expect([200, 404]).toContain(made.status);
      await identity.sweepOrganizations();
      expect(await leftOf(owner)).toEqual(KINDS.map(() => 0));
    }
  });
});

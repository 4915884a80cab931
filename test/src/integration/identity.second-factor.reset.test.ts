import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { getUser, login, resetUserSecondFactor } from "@nts/shared/contract/users";
import { type Audited, startAudited } from "../support/audit.js";
import type { Person } from "../support/direct.js";
import { setUpSecondFactorEarlier } from "../support/second-factors.js";

let identity: Audited;

beforeAll(async () => {
  identity = await startAudited();
});
afterAll(() => identity.stop());

const secure = (person: Person) => setUpSecondFactorEarlier(identity, person);
const reset = ({ principal: as }: Person, { userId: id }: Person, replica = 0) =>
  identity.send(resetUserSecondFactor, { as, params: { id }, replica });

describe("identity.second-factor: reset by an Owner for a colleague", () => {
  it("allows signing in with the password alone, and ends sessions; keys stay", async () => {
    const owner = await identity.aPerson();
    const member = await identity.aColleague(owner, {});
    const { secret } = await identity.aKey(member);
    await secure(member);
    expect((await reset(owner, member)).status).toBe(200);
    expect(await identity.verify("session", member.token, 1)).toMatchObject({ code: "session_expired" });
    expect(await identity.verify("key", secret, 1)).toMatchObject({ status: "valid" });
    const { email, password } = member;
    expect((await identity.send(login, { body: { email, password } })).status).toBe(200);
    const user = await identity.data(getUser, { as: owner.principal, params: { id: member.userId } });
    expect(user.second_factor).toBe(false);
    const [entry] = (await identity.entriesOf(owner, { action: "second_factor_disabled" })).slice(-1);
    expect([entry?.entity_id, entry?.actor?.user_id]).toEqual([member.userId, owner.userId]);
    expect(await reset(owner, member)).toMatchObject({ status: 404, params: { entity: "SecondFactor" } });
  });

  it("requires a confirmed session when the Owner has one, too", async () => {
    const owner = await identity.aPerson();
    const member = await identity.aColleague(owner, {});
    await Promise.all([secure(owner), secure(member)]);
    await identity.db.collection("sessions").updateMany({ user_id: owner.userId }, { $unset: { confirmed_at: "" } });
    expect(await reset(owner, member)).toMatchObject({ status: 403, code: "confirmation_required" });
    expect(await identity.verify("session", member.token)).toMatchObject({ status: "valid" });
  });

  it("happens once despite concurrent resets, and never in another organization or by an Admin", async () => {
    const owner = await identity.aPerson();
    const second = await identity.aColleague(owner, { permissions: "Owner" });
    const admin = await identity.aColleague(owner, { permissions: "Admin" });
    const member = await identity.aColleague(owner, {});
    const stranger = await identity.aPerson();
    await secure(member);
    expect((await reset(stranger, member)).code).toBe("not_found");
    expect((await reset(admin, member)).code).toBe("permission_denied");
    const both = await Promise.all([reset(owner, member, 0), reset(second, member, 1)]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

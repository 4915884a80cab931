import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createInvite, deleteUser, listInvites, revokeInvite } from "@nts/shared/contract";
import { createKey, deleteKey, listKeys, rotateKey, updateKey } from "@nts/shared/contract/keys";
import { updateOrganization, updateOrganizationProfile } from "@nts/shared/contract/organizations";
import type { DirectResponse, Person } from "../support/direct.js";
import { keyBodyOf } from "../support/direct.js";
import { type Identity, startIdentity } from "../support/identity.js";

let identity: Identity;
let person: Person;

beforeAll(async () => {
  identity = await startIdentity({ replicas: [{}, {}] });
  person = await identity.aPerson();
});
afterAll(() => identity.stop());

const keyed = (key: string) => ({ as: person.principal, headers: { "idempotency-key": key } });
const shown = ({ status, text, headers }: DirectResponse<unknown>) => [status, text, headers.get("etag")];

describe("a repeated write of accounts with an idempotency key", () => {
  it("gets the first response, from every replica, and has no second effect", async () => {
    const { params, record } = await identity.aKey(person);
    const colleague = await identity.aColleague(person, {});
    const params_ = { id: person.organizationId };
    const writes = [
      (replica: number) =>
        identity.send(updateOrganization, { ...keyed("name"), replica, params: params_, body: { name: "Renamed" } }),
      (replica: number) =>
        identity.send(updateOrganizationProfile, { ...keyed("profile"), replica, body: { job_title: "Admin" } }),
      (replica: number) =>
        identity.send(updateKey, { ...keyed("key"), replica, params, body: { ...keyBodyOf(person), name: "renamed" } }),
      (replica: number) =>
        identity.send(updateKey, {
          ...keyed("off"),
          replica,
          params,
          body: { ...keyBodyOf(person), name: record.name, is_enabled: false },
        }),
      (replica: number) => identity.send(deleteKey, { ...keyed("gone"), replica, params }),
      (replica: number) => identity.send(deleteUser, { ...keyed("left"), replica, params: { id: colleague.userId } }),
    ];
    for (const write of writes) {
      const first = await write(0);
      expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([200, null]);
      const again = await write(1);
      expect(shown(again)).toEqual(shown(first));
      expect(again.headers.get("idempotency-replayed")).toBe("true");
    }
  });

  it("never shows a secret again, nor stores it: 409 secret_shown_once", async () => {
    const body = keyBodyOf(person, { name: "secret" });
    const made = await identity.send(createKey, { ...keyed("create"), body });
    const params = { id: made.data.api_key.id };
    const rotated = await identity.send(rotateKey, { ...keyed("rotate"), params });
    const invited = await identity.send(createInvite, { ...keyed("invite"), body: { permissions: "Viewer" } });
    const again = [
      await identity.send(createKey, { ...keyed("create"), replica: 1, body }),
      await identity.send(rotateKey, { ...keyed("rotate"), replica: 1, params }),
      await identity.send(createInvite, { ...keyed("invite"), replica: 1, body: { permissions: "Viewer" } }),
    ];
    expect(again.map(({ status, code }) => [status, code])).toEqual(Array(3).fill([409, "secret_shown_once"]));
    const listed = (await identity.data(listKeys, { as: person.principal })) as unknown as { name: string }[];
    expect(listed.filter(({ name }) => name === "secret")).toHaveLength(1);
    const kept = JSON.stringify(await identity.db.collection("answers").find().toArray());
    for (const secret of [made.data.key, rotated.data, invited.data.token]) expect(kept).not.toContain(secret);
    const revoked = { ...keyed("revoke"), params: { id: invited.data.id } };
    expect(shown(await identity.send(revokeInvite, revoked))).toEqual(
      shown(await identity.send(revokeInvite, revoked)),
    );
    expect(await identity.data(listInvites, { as: person.principal })).toEqual([]);
  });

  it("creates one key, also when it is sent concurrently", async () => {
    const body = keyBodyOf(person, { name: "at once" });
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) => identity.send(createKey, { ...keyed("at-once"), replica: n % 2, body })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const codes = new Set(responses.filter(({ status }) => status !== 200).map(({ code }) => code));
    expect([...codes].filter((code) => !["secret_shown_once", "idempotency_in_progress"].includes(code))).toEqual([]);
  });
});

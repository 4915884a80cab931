import { beforeAll, describe, expect, it, jest } from "@jest/globals";
import fc from "fast-check";
import { type AnyEndpoint, OPERATIONS } from "@nts/shared/contract";
import { listAudit } from "@nts/shared/contract/audit";
import { createKey, deleteKey, getKey, patchKey, updateKey, type UserApiKeyInput } from "@nts/shared/contract/keys";
import { createCollector } from "@nts/shared/contract/collectors";
import { createNetwork } from "@nts/shared/contract/networks";
import {
  getOrganization,
  patchOrganization,
  updateOrganization,
  updateOrganizationProfile,
} from "@nts/shared/contract/organizations";
import { createTag } from "@nts/shared/contract/tags";
import { patchUser, updateUser } from "@nts/shared/contract/users";
import { createDirect, keyBodyOf, type Direct, type Person } from "../support/direct.js";
import { anotherValue, membersOf } from "../support/members.js";
import { diffOf, sampled } from "../support/patches.js";
import { sharedStack } from "../support/shared-stack.js";

/** Numbers of pairs of random states, and of rounds with two clients. */
const ROUNDS = Number(process.env["PATCH_ROUNDS"] ?? 10);
jest.setTimeout(300_000 + ROUNDS * 500);

let identity: Direct;
let person: Person;

beforeAll(async () => {
  identity = createDirect(await sharedStack());
  person = await identity.aPerson();
});

const anyKey: fc.Arbitrary<Partial<UserApiKeyInput>> = fc.record(
  {
    name: fc.constantFrom("one", "two", "three"),
    tags: fc.subarray(["a", "b", "c", "d"]),
    expires_at: fc.constantFrom(null, "2099-01-01T00:00:00.000Z", "2098-01-01T00:00:00.000Z"),
    is_enabled: fc.boolean(),
    network_ids: fc.constantFrom<string[] | null>(null, []),
    permissions: fc.constantFrom("Viewer" as const, "Member" as const, "Owner" as const),
  },
  { requiredKeys: ["name", "tags"] },
);

describe("identity.patches: names that nobody can tell apart", () => {
  it.each([
    ["Ac\u202eme", "U+202E at character 3"],
    ["Ac\u2028me", "U+2028 at character 3"],
    ["\u3164", "U+3164 at character 1"],
    ["\u2800", "must contain a visible character"],
  ])("are rejected for keys and the organization, with the place: %j", async (name, fault) => {
    const as = person.principal;
    const params = { id: person.organizationId };
    const refused = { status: 400, code: "validation_failed", params: { errors: [{ path: "name" }] } };
    const sent = [
      await identity.send(updateOrganization, { as, params, body: { name } }),
      await identity.send(patchOrganization, { as, params, body: { name } }),
      await identity.send(createKey, { as, body: { ...keyBodyOf(person), name } }),
    ];
    for (const response of sent) {
      expect(response).toMatchObject(refused);
      expect(JSON.stringify(response.params)).toContain(fault);
    }
    const profile = await identity.send(updateOrganizationProfile, { as, body: { job_title: name } });
    expect(profile).toMatchObject({ status: 400, params: { errors: [{ path: "job_title" }] } });
  });
});

describe("identity.patches: PATCH of a key, a user and the organization", () => {
  it("equals for a key a PUT of the whole", async () => {
    const as = person.principal;
    const params = (id: string) => ({ as, params: { id } });
    for (const [before, after] of sampled(fc.tuple(anyKey, anyKey), ROUNDS)) {
      const bodies = [before, after].map((one) => ({ ...keyBodyOf(person), ...one }));
      const { api_key: key } = await identity.data(createKey, { as, body: bodies[0]! });
      const { api_key: other } = await identity.data(createKey, { as, body: bodies[0]! });
      const patched = await identity.data(patchKey, {
        as,
        params: { id: key.id },
        body: diffOf(bodies[0]!, bodies[1]!),
      });
      const replaced = await identity.data(updateKey, { as, params: { id: other.id }, body: bodies[1]! });
      expect(withoutOwn(patched)).toEqual(withoutOwn(replaced));
      for (const { id } of [key, other]) await identity.data(deleteKey, params(id));
    }
  });

  it("keeps concurrent changes of different members, through any process", async () => {
    const as = person.principal;
    const { params } = await identity.aKey(person, { tags: [] });
    for (let round = 0; round < ROUNDS; round++) {
      const tag = `tag ${round % 40}`;
      const name = `name ${round}`;
      const patches = [{ name }, { tags: { add: [tag] } }, { is_enabled: round % 2 === 0 }];
      await Promise.all(patches.map((body, i) => identity.data(patchKey, { as, params, body, replica: i % 2 })));
      const key = await identity.data(getKey, { as, params });
      expect(key).toMatchObject({ name, tags: expect.arrayContaining([tag]), is_enabled: round % 2 === 0 });
    }
  });

  it("clears what PUT may clear, rejects null elsewhere, and keeps absent members", async () => {
    const as = person.principal;
    const { params, record } = await identity.aKey(person, { expires_at: "2099-01-01T00:00:00Z", network_ids: [] });
    const cleared = await identity.data(patchKey, { as, params, body: { expires_at: null, network_ids: null } });
    expect(cleared).toMatchObject({ name: record.name, expires_at: null, restricted: false });
    for (const body of [{ name: null }, { is_enabled: null }, { tags: null }, { name: "" }, { tags: { add: "a" } }])
      expect(await identity.send(patchKey, { as, params, body: body as never })).toMatchObject({
        status: 400,
        code: "validation_failed",
      });
    const nothing = await identity.send(patchKey, { as, params, body: { unknown: 1 } as never });
    expect([nothing.data, nothing.headers.get("etag")]).toEqual([cleared, '"2"']);
  });
});

describe("identity.patches: the rules of PUT", () => {
  it("apply all to a patch", async () => {
    const as = person.principal;
    const { params, record } = await identity.aKey(person, { network_ids: [] });
    const stranger = await identity.aPerson();
    const attempts: [object, number, string][] = [
      [{ organization_id: stranger.organizationId }, 403, "permission_denied"],
      [{ user_id: stranger.userId }, 403, "permission_denied"],
      [{ network_ids: [person.userId] }, 400, "invalid_reference"],
      [{ tags: { add: [person.userId] } }, 400, "invalid_reference"],
      [{ expires_at: "2020-01-01T00:00:00Z" }, 400, "validation_failed"],
      [{ tags: { add: Array.from({ length: 50 }, (_, i) => `label ${i}`), remove: [] } }, 200, ""],
      [{ tags: { add: ["one more"] } }, 400, "validation_failed"],
    ];
    for (const [body, status, code] of attempts)
      expect(await identity.send(patchKey, { as, params, body: body })).toMatchObject({ status, code });
    const member = { ...as, permission: "Member" as const };
    const tooMuch = { as: member, params, body: { permissions: "Admin" as const } };
    expect(await identity.send(patchKey, tooMuch)).toMatchObject({ status: 403, code: "permission_denied" });
    const stale = { as, params, body: { name: "late" }, headers: { "if-match": '"1"' } };
    expect(await identity.send(patchKey, stale)).toMatchObject({ status: 412, code: "precondition_failed" });
    const foreign = { as: stranger.principal, params, body: { name: "mine" } };
    expect(await identity.send(patchKey, foreign)).toMatchObject({ status: 404, code: "not_found" });
    expect(await identity.data(getKey, { as, params })).toMatchObject({ name: record.name, permissions: "Viewer" });
  });

  it("let it add a managed tag by its id", async () => {
    const as = person.principal;
    const tag = await identity.data(createTag, { as, body: { name: "managed" } });
    const { params } = await identity.aKey(person, { tags: ["free"] });
    const patched = await identity.data(patchKey, { as, params, body: { tags: { add: [tag.id] } } });
    expect(patched.tags).toEqual(["free", tag.id]);
  });

  it("give a demoted user the networks of the patch, and no others", async () => {
    const as = person.principal;
    const network = await identity.data(createNetwork, { as, body: { name: "Home" } });
    const colleague = await identity.aColleague(person, { permissions: "Admin" });
    const params = { id: colleague.userId };
    const demoted = await identity.data(patchUser, { as, params, body: { permissions: "Member" } });
    expect(demoted.network_ids).toEqual([]);
    const granted = await identity.data(patchUser, { as, params, body: { network_ids: [network.id] } });
    expect(granted).toMatchObject({ permissions: "Member", network_ids: [network.id] });
    await identity.data(updateUser, { as, params, body: { permissions: "Viewer" } });
    const last = await identity.send(patchUser, { as, params: { id: person.userId }, body: { permissions: "Admin" } });
    expect(last).toMatchObject({ status: 409, code: "last_owner" });
  });
});

describe("identity.patches: the organization, and content types", () => {
  it("renames the organization and keeps its setting for API keys", async () => {
    const other = await identity.aPerson();
    const as = other.principal;
    const params = { id: other.organizationId };
    await identity.data(patchOrganization, { as, params, body: { api_access_enabled: false } });
    await identity.data(patchOrganization, { as, params, body: { name: "Renamed" } });
    expect(await identity.data(getOrganization, { as })).toMatchObject({ name: "Renamed", api_access_enabled: false });
  });

  it("rejects any other content type than that of a patch, which the response names", async () => {
    const { params } = await identity.aKey(person);
    for (const type of ["application/json", "application/json-patch+json", "text/plain"]) {
      const sent = { as: person.principal, params, body: { name: "x" }, headers: { "content-type": type } };
      const { status, code, headers } = await identity.send(patchKey, sent);
      expect([status, code, headers.get("accept-patch")]).toEqual([
        415,
        "unsupported_media_type",
        "application/merge-patch+json",
      ]);
    }
  });
});

/** Omits the members in which two keys with the same settings differ. */
function withoutOwn(key: object): object {
  const { id, key: masked, created_at, updated_at, ...rest } = key as Record<string, unknown>;
  expect([id, masked, created_at, updated_at]).not.toContain(undefined);
  return rest;
}

type Members = Readonly<Record<string, unknown>>;

/** Of entities, which have both; what a PUT alone sets has a suite of its own. */
const UPDATES = OPERATIONS.filter(
  ({ upstream, method, path }) =>
    upstream === "identity" &&
    method === "put" &&
    OPERATIONS.some((one) => one.method === "patch" && one.path === path),
);

/** Members that cannot change, and those that require a second factor or a provider: these have suites of their own. */
const EXCEPTED: Readonly<Record<string, readonly string[]>> = {
  update_collector: ["network_id"],
  update_user_api_key: ["organization_id", "user_id"],
  update_organization: ["require_second_factor", "password_login"],
};

describe("identity.patches: every member of an update", () => {
  it.each(UPDATES.map(({ operationId }) => operationId))(
    "of %s changes the entity by PATCH and by PUT, with an audit entry that names it",
    async (operationId) => {
      const owner = await identity.aPerson();
      const as = owner.principal;
      const named = (method: string, path: string): AnyEndpoint | undefined =>
        OPERATIONS.find((one) => one.method === method && one.path === path);
      const path = UPDATES.find((one) => one.operationId === operationId)?.path ?? "";
      const put = named("put", path)!;
      const patch = named("patch", path)!;
      const get = named("get", path) ?? getOrganization;
      const { id: home } = await identity.data(createNetwork, { as, body: { name: "Home" } });
      const { id: office } = await identity.data(createNetwork, { as, body: { name: "Office" } });
      const ids: Members = {
        update_organization: owner.organizationId,
        update_user: (await identity.aColleague(owner, {})).userId,
        update_user_api_key: (await identity.aKey(owner, { permissions: "Member" })).id,
        update_collector: (await identity.data(createCollector, { as, body: { network_id: home, name: "shed" } }))
          .collector.id,
      };
      const values: Readonly<Record<string, readonly [unknown, unknown]>> = {
        permissions: ["Viewer", "Member"],
        network_ids: [[home], [office]],
        expires_at: ["2099-01-01T00:00:00.000Z", null],
        allowed_ips: [["192.0.2.1/32"], []],
        schedule: [{ cron: "*/15 * * * *", time_zone: "Europe/Berlin" }, null],
        window: [{ from: "22:00", to: "06:00", time_zone: "UTC" }, null],
        targets: [
          { cidrs: ["192.0.2.0/24"], exclude: ["192.0.2.9/32"] },
          { cidrs: [], exclude: [] },
        ],
      };
      const id = String(ids[operationId]);
      const send = (operation: AnyEndpoint, body?: Members): Promise<Members> =>
        identity.data(operation as never, { as, params: { id }, ...(body && { body }) } as never);
      const members = membersOf(put.body).filter(([name]) => EXCEPTED[operationId]?.includes(name) !== true);
      const changed: string[] = [];
      for (const [name, schema] of members)
        for (const [n, operation] of [patch, put].entries()) {
          const before = await send(get);
          const value = name in values ? values[name]?.[n] : anotherValue(schema, before[name], changed.length);
          const whole = Object.fromEntries(membersOf(put.body).map(([one]) => [one, before[one]]));
          await send(operation, { ...(operation === put && whole), [name]: value });
          expect({ operation: operation.operationId, [name]: (await send(get))[name] }).toEqual({
            operation: operation.operationId,
            [name]: value,
          });
          changed.push(name);
        }
      const entries = await identity.data(listAudit, { as, query: { limit: 1_000 } });
      const updates = entries.filter(({ action, entity_id }) => action === "updated" && entity_id === id);
      expect(updates.map(({ fields }, n) => fields.includes(changed[n] ?? ""))).toEqual(changed.map(() => true));
    },
  );
});

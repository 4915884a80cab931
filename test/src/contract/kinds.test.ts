/** What is declared of each kind of entity, once, is what its schemas and operations say, and no kind lacks an operation or index. */
import { describe, expect, it } from "@jest/globals";
import {
  type AnyEndpoint,
  containersOf,
  KIND_NAMES,
  type KindName,
  KINDS,
  OPERATIONS,
  TAGGED_KINDS,
} from "@nts/shared/contract";
import { ENTITY_KINDS } from "@nts/topology/kinds/index";
import { creationIndex, INDEXES, SIGHTED_INDEX, TAG_INDEX } from "@nts/topology/storage/indexes";
import { membersOf } from "../support/members.js";

function operation(method: string, path: string): AnyEndpoint | undefined {
  return OPERATIONS.find((one) => one.method === method && one.path === path);
}

/** The names of the members of a kind in responses. */
function responseMembers(name: KindName): string[] {
  return membersOf(operation("get", `/api/v1/${KINDS[name].plural}/{id}`)?.response).map(([member]) => member);
}

const referencesOf = (name: KindName): KindName[] => {
  const { refersTo, mayReferTo, names } = KINDS[name];
  return [...refersTo, ...mayReferTo, ...names];
};

const idOf = (name: KindName): string => `${KINDS[name].singular}_id`;

it("every history of the contract is that of a declared kind", () => {
  const histories = OPERATIONS.flatMap(({ path }) => /^\/api\/v1\/([^/]+)\/\{id\}\/history$/.exec(path)?.[1] ?? []);
  expect(histories.toSorted()).toEqual(KIND_NAMES.map((name) => KINDS[name].plural).toSorted());
});

it("kinds are declared in order of reference", () => {
  for (const [n, name] of KIND_NAMES.entries()) {
    const earlier: readonly string[] = KIND_NAMES.slice(0, n);
    const tag = (TAGGED_KINDS as readonly string[]).includes(name) ? ["Tag"] : [];
    expect(earlier).toEqual(expect.arrayContaining([...containersOf(name), ...referencesOf(name), ...tag]));
  }
});

describe.each(KIND_NAMES)("the kind %s", (name) => {
  const { plural, singular, tagged, sighted, parts, key, refersTo, mayReferTo } = KINDS[name];
  const path = `/api/v1/${plural}`;

  it("has all operations of a kind", () => {
    const operations = [
      operation("get", path)?.operationId,
      operation("post", path)?.operationId,
      ...["get", "put", "patch", "delete"].map((method) => operation(method, `${path}/{id}`)?.operationId),
      operation("get", `${path}/{id}/history`)?.operationId,
      operation("post", `${path}/bulk-delete`)?.operationId,
    ];
    expect(operations).toEqual([
      `list_${plural}`,
      `create_${singular}`,
      `get_${singular}_by_id`,
      `update_${singular}`,
      `patch_${singular}`,
      `delete_${singular}`,
      `get_${singular}_history`,
      `bulk_delete_${plural}`,
    ]);
  });

  it("has the members that are declared of it, and no others of these", () => {
    const members = responseMembers(name);
    const references = [...containersOf(name), ...refersTo, ...mayReferTo].map(idOf);
    expect(members).toEqual(expect.arrayContaining([...references, ...parts, ...key]));
    expect(
      KIND_NAMES.map(idOf)
        .filter((member) => members.includes(member))
        .toSorted(),
    ).toEqual(references.toSorted());
    expect({ tagged: members.includes("tags"), sighted: members.includes("seen") }).toEqual({ tagged, sighted });
  });

  it("has the indexes of what it has", () => {
    const keys = (INDEXES[plural] ?? []).map((index) => index.key);
    expect(keys).toContainEqual(creationIndex(false));
    if (ENTITY_KINDS[plural].networkOf !== null && name !== "Network") expect(keys).toContainEqual(creationIndex(true));
    expect(keys.some((one) => JSON.stringify(one) === JSON.stringify(TAG_INDEX))).toBe(tagged);
    expect(keys.some((one) => JSON.stringify(one) === JSON.stringify(SIGHTED_INDEX))).toBe(sighted);
  });
});

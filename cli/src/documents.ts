import type { Operation } from "@nts/client/transport";
import { operationOf } from "@nts/shared/client";
import { containersOf, isId, KIND_NAMES, type KindName, KINDS, KINDS_ON_HOSTS, pluralOf } from "@nts/shared/contract";
import { canonicalAddress } from "@nts/shared/contract/sockets.rules";
import type { Connection } from "./connection.js";
import { entitiesOf, type Entity, searchFor } from "./find.js";
import { nameOf } from "@nts/shared/contract/names.rules";
import { resourceNamed } from "./resources.js";
import { EXIT, Problem } from "./terminal.js";

// Documents of `apply`: a `kind` and the members of an entity, with references by name (`network: Home`). Existing
// entities are found by their unique key.

/** Members for creation only. */
const CHILDREN = KINDS_ON_HOSTS.map(pluralOf);

/** The references that a document of a kind needs. */
function placesOf(name: KindName): readonly KindName[] {
  return [...containersOf(name), ...KINDS[name].refersTo];
}

const placeNames = (name: KindName): string[] => placesOf(name).map((place) => KINDS[place].singular);

export interface Document {
  readonly kind: KindName;
  readonly title: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/** A write that makes an entity match its document. */
export interface Step {
  readonly operation: Operation;
  /** The existing entity's. */
  readonly id?: string;
  readonly input: { readonly params?: object; readonly body: object };
}

/** @throws Problem if it is not a document */
export function documentOf(value: unknown, path: string): Document {
  const { kind, ...members } = (typeof value === "object" ? value : {}) as Record<string, unknown>;
  if (typeof kind !== "string" || !(kind in KINDS))
    throw new Problem(EXIT.usage, `${path}: each document needs a kind: ${KIND_NAMES.join(", ")}.`);
  const known = kind as KindName;
  const missing = [...placeNames(known), ...KINDS[known].key].filter(
    (name) => members[name] === undefined && members[`${name}_id`] === undefined,
  );
  if (missing.length > 0) throw new Problem(EXIT.usage, `${path}: a ${kind} needs ${missing.join(" and ")}.`);
  const title = KINDS[known].key.map((name) => titleOf(members[name])).join(KINDS[known].between ? " → " : "/");
  return { kind: known, title, members };
}

/** The text of a key, or of what ends of dependencies and links name. */
function titleOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(titleOf).join(" – ");
  return typeof value === "object" && value !== null ? Object.values(value).join("/") : String(value);
}

/** The write for a document; null while a reference is missing. @throws Problem */
export async function stepOf(connection: Connection, { kind, title, members }: Document): Promise<Step | null> {
  const { plural, key } = KINDS[kind];
  // Those that a document may leave out.
  const others = KINDS[kind].mayReferTo.filter((name) =>
    [`${KINDS[name].singular}_id`, KINDS[name].singular].some((one) => members[one] !== undefined),
  );
  const places = [...placesOf(kind), ...others];
  const isPlace = (name: string): boolean => places.some((place) => KINDS[place].singular === name);
  const body = Object.fromEntries(Object.entries(members).filter(([name]) => !isPlace(name)));
  for (const place of places) {
    const { singular } = KINDS[place];
    const named = members[`${singular}_id`] ?? members[singular];
    const id = await placeId(connection, named, { place, network: body["network_id"] });
    if (id === null) return null;
    body[`${singular}_id`] = id;
  }
  for (const end of KINDS[kind].between ? key : []) {
    const named = await endsOf(connection, members[end], body["network_id"]);
    if (named === null) return null;
    body[end] = named;
  }
  if (Array.isArray(members["vlans"])) {
    const ids = await vlanIds(connection, members["vlans"], body["network_id"]);
    if (ids === null) return null;
    body["vlan_ids"] = ids;
  }
  const { create, patch } = resourceNamed(plural);
  if (create === undefined || patch === undefined) throw new Error(`${plural} cannot be written`);
  const there = await thereIs(connection, plural, body, key);
  if (there === null) return { operation: operationOf(create), input: { body } };
  // They are those of the document, perhaps in another order.
  if (Array.isArray(body["ends"])) delete body["ends"];
  const children = CHILDREN.filter((name) => name in body);
  if (children.length > 0)
    throw new Problem(
      EXIT.usage,
      `${kind} ${title} already exists: ${children.join(", ")} require separate documents.`,
    );
  return { operation: operationOf(patch), id: there.id, input: { params: { id: there.id }, body } };
}

async function placeId(
  connection: Connection,
  said: unknown,
  { place, network }: { readonly place: KindName; readonly network: unknown },
): Promise<string | null> {
  const text = typeof said === "string" || typeof said === "number" ? String(said) : "";
  if (isId(text)) return text;
  const resource = resourceNamed(pluralOf(place));
  const within = { ...searchFor(resource, text), ...(place !== "Network" && { network_id: network }) };
  for await (const entity of entitiesOf(connection, resource, within))
    if (entity["name"] === text || entity["cidr"] === canonical(text) || entity["vid"] === Number(text))
      return entity.id;
  return null;
}

/** The ids of VLANs by number or name; null if one of them does not exist. */
async function vlanIds(connection: Connection, said: readonly unknown[], network: unknown): Promise<string[] | null> {
  const ids: string[] = [];
  for (const one of said) {
    const id = await placeId(connection, one, { place: "Vlan", network });
    if (id === null) return null;
    ids.push(id);
  }
  return ids;
}

/** An end of a dependency, or both ends of a link. */
async function endsOf(connection: Connection, said: unknown, network: unknown): Promise<Body | Body[] | null> {
  if (!Array.isArray(said)) return endOf(connection, said, network);
  const ends: Body[] = [];
  for (const one of said) {
    const end = await linkEndOf(connection, one, network);
    if (end === null) return null;
    ends.push(end);
  }
  return ends;
}

/** An end of a link, such as `{ host: core, port: Gi1/0/1 }`, with ids. A port may be written as a number. */
async function linkEndOf(connection: Connection, said: unknown, network: unknown): Promise<Body | null> {
  const { host, port = null, interface_id = null, ...others } = isBody(said) ? said : { host: said };
  const host_id = others["host_id"] ?? (await placeId(connection, host, { place: "Host", network }));
  if (host_id === null) return null;
  return { host_id, interface_id, port: typeof port === "number" ? port.toString() : port };
}

/** An end of a dependency, such as `{ host: web, service: shop }`, with ids; null if it names something that does not exist. */
async function endOf(connection: Connection, said: unknown, network: unknown): Promise<Body | null> {
  const { host, service, port, ...others } = isBody(said) ? said : { host: said };
  const host_id = others["host_id"] ?? (await placeId(connection, host, { place: "Host", network }));
  if (host_id === null) return null;
  const end: Record<string, unknown> = { ...others, host_id };
  for (const [kind, named] of [
    ["Service", service],
    ["Port", port],
  ] as const) {
    if (typeof named !== "string") continue;
    const id = await childId(connection, kind, { host_id, named });
    if (id === null) return null;
    end[`${KINDS[kind].singular}_id`] = id;
  }
  return end;
}

function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null;
}

type Body = Readonly<Record<string, unknown>>;

/** The id of a service by its name, or of a port such as `5432/tcp`. */
async function childId(
  connection: Connection,
  kind: KindName,
  { host_id, named }: { readonly host_id: unknown; readonly named: string },
): Promise<string | null> {
  if (isId(named)) return named;
  for await (const entity of entitiesOf(connection, resourceNamed(pluralOf(kind)), { host_id }))
    if (nameOf(entity).toLowerCase() === named.toLowerCase()) return entity.id;
  return null;
}

/** The entity of the document. */
async function thereIs(
  connection: Connection,
  plural: string,
  body: Readonly<Record<string, unknown>>,
  key: readonly string[],
): Promise<Entity | null> {
  const [end] = (body["ends"] ?? []) as readonly Body[];
  const client = (body["client"] ?? end) as Body | undefined;
  const within = {
    network_id: body["network_id"],
    host_id: plural === "hosts" ? undefined : (client?.["host_id"] ?? body["host_id"]),
  };
  const resource = resourceNamed(plural);
  const known = Object.entries(within).filter(([name]) => name in (resource.list.query?.shape ?? {}));
  const [first = ""] = key;
  const query = {
    ...(!isBody(body[first]) && searchFor(resource, String(canonical(body[first])))),
    ...Object.fromEntries(known),
  };
  for await (const entity of entitiesOf(connection, resource, query))
    if (key.every((name) => isSame(entity[name], canonical(body[name])))) return entity;
  return null;
}

/** Whether a member is as a document says; members of an end that it leaves out are null. */
function isSame(value: unknown, said: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === said;
  // The ends of a link have no order.
  if (Array.isArray(value)) {
    const ends = said as readonly unknown[];
    const isIn = (order: readonly unknown[]): boolean => value.every((one, n) => isSame(one, order[n]));
    return isIn(ends) || isIn([...ends].reverse());
  }
  return Object.entries(value).every(([name, one]) => one === ((said as Body)[name] ?? null));
}

/** Addresses and CIDRs in the API's format; other values unchanged. */
function canonical(value: unknown): unknown {
  return typeof value === "string" ? value.replace(/^[^/]+/, canonicalAddress) : value;
}

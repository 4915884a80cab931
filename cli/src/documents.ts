import type { Operation } from "@nts/client/transport";
import { ApiError, operationOf } from "@nts/shared/client";
import { containersOf, isId, KIND_NAMES, type KindName, KINDS, KINDS_ON_HOSTS, pluralOf } from "@nts/shared/contract";
import { nameOf } from "@nts/shared/contract/names.rules";
import { canonicalAddress } from "@nts/shared/contract/sockets.rules";
import {
  type Body,
  type BodyForm,
  isBody,
  type Path,
  requireKnown,
  resolved,
  type Surrounding,
  withNetwork,
} from "./bodies.js";
import { isSame } from "./compare.js";
import type { Connection } from "./connection.js";
import { entitiesOf, type Entity, searchFor } from "./find.js";
import { adviceFor } from "./nearest.js";
import { resourceNamed } from "./resources.js";
import type { Schema } from "./schemas.js";
import { EXIT, Problem } from "./terminal.js";
import type { Placed } from "./values.js";

// Documents of `apply`: a `kind` and the members of an entity, with references by name (`network: Home`). Existing
// entities are found by their id, or else by their unique key.

/** Members of hosts that are documents of their own once the host exists. */
const CHILDREN = KINDS_ON_HOSTS.map((kind) => ({ kind, plural: pluralOf(kind) }));

export interface Document {
  readonly kind: KindName;
  readonly title: string;
  readonly members: Body;
  /** Where it is, such as `home.yaml:3`. */
  readonly place: string;
}

/** A write that makes an entity match its document. */
export interface Step {
  readonly operation: Operation;
  /** The existing entity's. */
  readonly id?: string;
  readonly input: { readonly params?: object; readonly body: object };
}

/** What a document requires: a write, or nothing as it says what is. */
export type Steps = Step | "unchanged";

/** The documents in what a file contains: one, or a list of them. @throws Problem if it is something else */
export function documentsIn({ value, placeOf }: Placed): Document[] {
  if (!Array.isArray(value)) return [documentOf(value, placeOf)];
  return (value as readonly unknown[]).map((one, n) => documentOf(one, (path) => placeOf([n, ...path])));
}

function documentOf(value: unknown, placeOf: (path: Path) => string): Document {
  const place = placeOf([]);
  const { kind, ...members } = isBody(value) ? value : {};
  if (typeof kind !== "string" || !(kind in KINDS)) {
    const advice = typeof kind === "string" ? adviceFor(kind, KIND_NAMES) : `: ${KIND_NAMES.join(", ")}.`;
    const fault = typeof kind === "string" ? `there is no kind ${kind}` : "each document needs a kind";
    throw new Problem(EXIT.usage, `${place}: ${fault}${advice}`);
  }
  const known = kind as KindName;
  const own = withOwnKind(known, members);
  requireKnown(own, formOfKind(known), placeOf);
  const needed = [...containersOf(known).filter((name) => name !== "Network"), ...KINDS[known].refersTo];
  const missing = [...needed.map((name) => KINDS[name].singular), ...KINDS[known].key].filter(
    (name) => own[name] === undefined && own[`${name}_id`] === undefined,
  );
  if (missing.length > 0) throw new Problem(EXIT.usage, `${place}: a ${kind} needs ${missing.join(" and ")}.`);
  return { kind: known, title: titleIn(known, own), members: own, place };
}

/** A link has a kind of its own, whose name is taken in documents. */
function withOwnKind(kind: KindName, members: Body): Body {
  if (kind !== "Link") return members;
  const { link_kind, ...others } = members;
  return link_kind === undefined ? others : { ...others, kind: link_kind };
}

/** An entity as a document, which `apply` leaves unchanged. */
export function asDocument(kind: KindName, entity: Body): Body {
  const { kind: own, ...members } = entity;
  return { kind, ...(kind === "Link" && own !== undefined && { link_kind: own }), ...members };
}

function operationsOf(kind: KindName) {
  const { create, patch, get } = resourceNamed(pluralOf(kind));
  if (create?.body === undefined || patch?.body === undefined || get === undefined)
    throw new Error(`${kind} cannot be written`);
  return { create, patch, get };
}

function formOfKind(kind: KindName): BodyForm {
  const { create, patch, get } = operationsOf(kind);
  const body = [create.body, patch.body].filter((schema) => schema !== undefined);
  return { body, response: [get.response], hasEchoes: true };
}

function titleIn(kind: KindName, members: Body): string {
  return KINDS[kind].key.map((name) => titleOf(members[name])).join(KINDS[kind].between ? " → " : "/");
}

/** The text of a key, or of what ends of dependencies and links name. */
function titleOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(titleOf).join(" – ");
  if (!isBody(value)) return String(value);
  return Object.values(value)
    .filter((one) => one !== null)
    .map(String)
    .join("/");
}

/**
 * The documents with the children of hosts that already exist as documents of their own, after their host: only a new host
 * is created with its children.
 */
export async function unfolded(connection: Connection, documents: readonly Document[]): Promise<Document[]> {
  const all: Document[] = [];
  for (const document of documents) {
    const { kind, members } = document;
    const hasChildren = kind === "Host" && CHILDREN.some(({ plural }) => Array.isArray(members[plural]));
    const host = hasChildren ? await hostOf(connection, document) : null;
    if (host === null) all.push(document);
    else all.push(withoutChildren(document), ...childrenOf(document, host));
  }
  return all;
}

async function hostOf(connection: Connection, document: Document): Promise<Entity | null> {
  try {
    const { schemas, body } = await bodyFor(connection, document, {});
    return await thereIs(connection, document, await resolvedBody(connection, schemas, withoutChildrenIn(body), {}));
  } catch (error) {
    if (error instanceof Problem && error.exitCode === EXIT.missing) return null;
    throw error;
  }
}

function withoutChildren(document: Document): Document {
  return { ...document, members: withoutChildrenIn(document.members) };
}

function withoutChildrenIn(members: Body): Body {
  return Object.fromEntries(
    Object.entries(members).filter(([name]) => CHILDREN.every(({ plural }) => plural !== name)),
  );
}

/** Without those that are as they were printed. */
function childrenOf({ members, place }: Document, host: Entity): Document[] {
  const { id: host_id, network_id } = host;
  const names = new Map<unknown, string>();
  return CHILDREN.flatMap(({ kind, plural }) => {
    const children = (members[plural] ?? []) as readonly unknown[];
    const there = (host[plural] ?? []) as readonly Body[];
    const isUnchanged = (child: Body): boolean =>
      child["id"] !== undefined && there.some((one) => one["id"] === child["id"] && isSame(one, child));
    const bodies = children.filter(isBody);
    for (const child of bodies)
      if (kind !== "Service" && child["id"] !== undefined) names.set(child["id"], addressOf(child));
    return bodies
      .filter((child) => !isUnchanged(child))
      .map((child) => {
        const own = kind === "Service" ? withNamedBindings(child, names) : child;
        return { kind, title: titleIn(kind, own), members: { ...own, host_id, network_id }, place };
      });
  });
}

/** The name of a port or interface on its host. */
function addressOf(child: Body): string {
  const { ip_address } = child;
  return typeof ip_address === "string" ? ip_address : nameOf(child);
}

/** In the body of a host, the ids of ports and interfaces may be its own; their names lead to the real ones. */
function withNamedBindings(service: Body, names: ReadonlyMap<unknown, string>): Body {
  if (!Array.isArray(service["bindings"])) return service;
  const bindings = (service["bindings"] as readonly unknown[]).map((binding) => {
    if (!isBody(binding)) return binding;
    return Object.fromEntries(
      Object.entries(binding).map(([name, value]) => [
        name,
        name === "port_id" || name === "interface_id" ? (names.get(value) ?? value) : value,
      ]),
    );
  });
  return { ...service, bindings };
}

interface StepOptions {
  /** Of documents that name none. */
  readonly network?: string;
  readonly isComing?: Surrounding["isComing"];
}

/** @returns the write for a document, or which reference is missing. @throws Problem */
export async function stepOf(
  connection: Connection,
  document: Document,
  options: StepOptions = {},
): Promise<Steps | Problem> {
  try {
    return await knownStepOf(connection, document, options);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.exitCode === EXIT.missing) return error;
    throw atPlace(document, error);
  }
}

/** The problem with where the document is. */
export function atPlace({ place, kind, title }: Document, { exitCode, message }: Problem): Problem {
  return new Problem(exitCode, `${place}: ${kind} ${title}: ${message}`);
}

/** @throws Problem with the exit code `missing` if something that it names does not exist */
export async function knownStepOf(connection: Connection, document: Document, options: StepOptions): Promise<Steps> {
  const { kind, title } = document;
  const { create, patch } = operationsOf(kind);
  const { schemas, body: written } = await bodyFor(connection, document, options);
  const body = await resolvedBody(connection, schemas, written, options);
  const there = await thereIs(connection, document, body);
  if (there === null) return { operation: operationOf(create), input: { body } };
  const children = CHILDREN.filter(({ plural }) => Array.isArray(body[plural])).map(({ plural }) => plural);
  if (children.length > 0)
    throw new Problem(
      EXIT.usage,
      `${kind} ${title} already exists: its ${children.join(", ")} require separate documents.`,
    );
  const changed = Object.entries(body).filter(([name, value]) => name !== "id" && !isSame(there[name], value));
  if (changed.length === 0) return "unchanged";
  return {
    ...{ operation: operationOf(patch), id: there.id },
    input: { params: { id: there.id }, body: Object.fromEntries(changed) },
  };
}

interface WrittenBody {
  readonly schemas: readonly Schema[];
  readonly body: Body;
}

async function bodyFor(
  connection: Connection,
  { kind, members }: Document,
  { network }: StepOptions,
): Promise<WrittenBody> {
  const schemas = formOfKind(kind).body;
  return { schemas, body: await withNetwork(connection, schemas, members, network) };
}

async function resolvedBody(
  connection: Connection,
  schemas: readonly Schema[],
  body: Body,
  { isComing }: StepOptions,
): Promise<Body> {
  return (await resolved(connection, schemas, body, isComing === undefined ? {} : { isComing })) as Body;
}

/** The entity of the document. */
async function thereIs(connection: Connection, { kind, members }: Document, body: Body): Promise<Entity | null> {
  const { key } = KINDS[kind];
  const resource = resourceNamed(pluralOf(kind));
  const found = await withId(connection, kind, members["id"]);
  if (found !== null) return found;
  const [end] = (body["ends"] ?? []) as readonly Body[];
  const client = (body["client"] ?? end) as Body | undefined;
  const within = {
    network_id: body["network_id"],
    host_id: kind === "Host" ? undefined : (client?.["host_id"] ?? body["host_id"]),
  };
  const known = Object.entries(within).filter(([name]) => name in (resource.list.query?.shape ?? {}));
  const [first = ""] = key;
  const query = {
    ...(!isBody(body[first]) && !Array.isArray(body[first]) && searchFor(resource, String(canonical(body[first])))),
    ...Object.fromEntries(known),
  };
  for await (const entity of entitiesOf(connection, resource, query))
    if (key.every((name) => isSame(entity[name], canonical(body[name])))) return entity;
  return null;
}

/** The entity that `get` has printed; null if it does not exist any more. */
async function withId(connection: Connection, kind: KindName, id: unknown): Promise<Entity | null> {
  if (typeof id !== "string" || !isId(id)) return null;
  try {
    const { get } = operationsOf(kind);
    const response = await connection.transport.send(operationOf(get), { params: { id } });
    return (response as { readonly data: Entity }).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Addresses and CIDRs in the API's format; other values unchanged. */
function canonical(value: unknown): unknown {
  return typeof value === "string" ? value.replace(/^[^/]+/, canonicalAddress) : value;
}

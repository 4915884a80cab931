import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type AnyEndpoint, isId, KINDS, KINDS_ON_HOSTS, pluralOf, whoami } from "@nts/shared/contract";
import { nameOf } from "@nts/shared/contract/names.rules";
import { socketIn } from "@nts/shared/contract/sockets.rules";
import type { Connection } from "./connection.js";
import { entitiesOf, idOf, onlyNetwork, tagIds, withinOf } from "./find.js";
import { adviceFor } from "./nearest.js";
import { referredBy, type Resource, resourceNamed } from "./resources.js";
import { choicesIn, elementsOf, formsOf, isText, membersOf, type Schema } from "./schemas.js";
import { EXIT, Problem } from "./terminal.js";

// Bodies as people write them, read by the schemas of the contract: which members there are, what is a reference and may
// be a name, and what is text although it looks like a number.

export type Body = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

export function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a body may contain. */
export interface BodyForm {
  readonly body: readonly Schema[];
  /** Members that only the server sets, which files contain that were printed by `get`. */
  readonly response: readonly Schema[];
  /** Whether members that only the server sets are accepted, and left out. */
  readonly hasEchoes: boolean;
}

export function formOf({ body, response }: AnyEndpoint, hasEchoes: boolean): BodyForm {
  return { body: body === undefined ? [] : [body], response: [response], hasEchoes };
}

/** A member that a body cannot have. */
export interface Unknown {
  readonly path: Path;
  /** What is wrong with it, and what was probably meant. */
  readonly fault: string;
}

/** The members that a body cannot have. */
export function unknownIn(value: unknown, { body, response, hasEchoes }: BodyForm, path: Path = []): Unknown[] {
  const forms = body.flatMap(formsOf);
  const echoes = response.flatMap(formsOf);
  if (Array.isArray(value)) {
    const inner = { body: elementsOf(forms), response: elementsOf(echoes), hasEchoes };
    return value.flatMap((one, n) => unknownIn(one, inner, [...path, n]));
  }
  const members = membersOf(forms);
  if (!isBody(value) || members === null) return [];
  const aliases = aliasesOf(members);
  const echoed = membersOf(echoes);
  return Object.entries(value).flatMap(([name, one]) => {
    const known = members.get(aliases.get(name) ?? name);
    const at = [...path, name];
    if (known !== undefined) return unknownIn(one, { body: known, response: echoed?.get(name) ?? [], hasEchoes }, at);
    if (echoed?.has(name) === true) return hasEchoes ? [] : [{ path: at, fault: notHere(name) }];
    return [{ path: at, fault: `there is no such member${adviceFor(name, calledIn(members))}` }];
  });
}

function notHere(name: string): string {
  const child = KINDS_ON_HOSTS.find((kind) => pluralOf(kind) === name);
  return child === undefined
    ? "it is set by the server."
    : `they have commands of their own, such as nts create ${KINDS[child].singular}.`;
}

/** @param placeOf where a member is: in which line of a file, or in which option. @throws Problem that names each unknown member */
export function requireKnown(value: unknown, form: BodyForm, placeOf: (path: Path) => string): void {
  const faults = unknownIn(value, form);
  if (faults.length === 0) return;
  const lines = faults.slice(0, MOST_NAMED).map(({ path, fault }) => `${placeOf(path)}: ${path.join(".")}: ${fault}`);
  const rest = faults.length > MOST_NAMED ? [`… and ${faults.length - MOST_NAMED} more.`] : [];
  throw new Problem(EXIT.usage, [...lines, ...rest].join("\n"));
}

const MOST_NAMED = 20;

type Members = ReadonlyMap<string, readonly Schema[]>;

/** The other name of a reference, such as `host` of `host_id`; null if it has none. */
function aliasOf(member: string, members: Members): string | null {
  const resource = referredBy(member);
  if (resource === null) return null;
  const alias = member.endsWith("_ids") ? resource.name : resource.singular;
  return members.has(alias) ? null : alias;
}

/** The names of members as people write them, such as `host` instead of `host_id`. */
function calledIn(members: Members): string[] {
  return [...members.keys()].map((member) => aliasOf(member, members) ?? member);
}

/** The names of the members that a body may have. */
export function namesIn({ body }: BodyForm): string[] {
  return calledIn(membersOf(body.flatMap(formsOf)) ?? new Map());
}

/** The members by their other names. */
function aliasesOf(members: Members): ReadonlyMap<string, string> {
  return new Map(
    [...members.keys()].flatMap((member) => {
      const alias = aliasOf(member, members);
      return alias === null ? [] : [[alias, member] as const];
    }),
  );
}

/** Where names are looked up. */
export interface Surrounding {
  readonly network_id?: unknown;
  readonly host_id?: unknown;
  /** Whether an entity of that kind will be there later, although it is not now. */
  readonly isComing?: (singular: string, name: string) => boolean;
  /** Ids of ports and interfaces that a body creates, by kind and name. */
  readonly locals?: ReadonlyMap<string, string>;
}

/** An entity that an earlier document creates is not there yet. */
export class Coming extends Problem {}

type Api = Pick<Connection, "transport">;

/**
 * A body for the API: with ids for names, and values as the schemas want them. Members that only the server sets are left
 * out, as are unknown ones: {@link requireKnown} has refused them.
 *
 * @throws Problem with the exit code `missing` if a name leads to nothing
 */
export async function resolved(
  api: Api,
  schemas: readonly Schema[],
  value: unknown,
  place: Surrounding = {},
): Promise<unknown> {
  const forms = schemas.flatMap(formsOf);
  const elements = elementsOf(forms);
  if (Array.isArray(value)) {
    if (elements.length === 0) return value;
    return inOrder(value, (one) => resolved(api, elements, one, place));
  }
  const members = membersOf(forms);
  if (isBody(value)) return members === null ? value : resolvedMembers(api, members, value, place);
  if (typeof value !== "string" && typeof value !== "number") return value;
  if (elements.length > 0 && !forms.some((form) => isText([form]))) return resolved(api, schemas, [value], place);
  const named = members === null ? null : await bodyNamed(api, String(value), members);
  return named === null || members === null ? coerced(value, forms) : resolvedMembers(api, members, named, place);
}

async function resolvedMembers(api: Api, members: Members, value: Body, place: Surrounding): Promise<Body> {
  const aliases = aliasesOf(members);
  const named = withLocals(
    members,
    Object.fromEntries(Object.entries(value).map(([name, one]) => [aliases.get(name) ?? name, one])),
  );
  let here: Surrounding = { ...place, ...(named.locals !== null && { locals: named.locals }) };
  const found: Record<string, unknown> = {};
  // Everything else is looked up in the network and on the host.
  const order = ["network_id", "host_id", ...Object.keys(named.body)];
  for (const name of new Set(order)) {
    const schemas = members.get(name);
    if (schemas === undefined || named.body[name] === undefined) continue;
    const resource = referredBy(name);
    const given = named.body[name];
    const one = name === "tags" ? await tagsNamed(api, given) : given;
    found[name] = resource === null ? await resolved(api, schemas, one, here) : await idsOf(api, resource, one, here);
    if (name === "network_id" || name === "host_id") here = { ...here, [name]: found[name] };
  }
  const types = members.get("type")?.flatMap(formsOf);
  // A binding is of what it names.
  if (types !== undefined && found["type"] === undefined && members.has("port_id"))
    found["type"] = found["port_id"] === undefined ? "Interface" : "Port";
  return found;
}

/**
 * Text for an object: a socket such as `10.0.0.5:443/tcp` for a binding, or a host for the end of a link or dependency,
 * perhaps with its port or service as in `nas/Photos`.
 */
async function bodyNamed(api: Api, text: string, members: Members): Promise<Body | null> {
  if (members.has("port_id") && members.has("interface_id")) {
    const socket = socketIn(text);
    if (socket === null) return /^\d+$/.test(text) ? { port_id: text } : { interface_id: text };
    const port_id = `${socket.port}/${socket.protocol ?? "Tcp"}`;
    return socket.address === null ? { port_id } : { port_id, interface_id: socket.address };
  }
  if (!members.has("host_id")) return null;
  const part = members.has("service_id") ? "service_id" : "port";
  const [, host = "", name = ""] = /^([^/]+)\/(.+)$/.exec(text) ?? [];
  return name === "" || (await isHost(api, text)) ? { host_id: text } : { host_id: host, [part]: name };
}

async function isHost(api: Api, text: string): Promise<boolean> {
  try {
    return (await idOf(api, resourceNamed("hosts"), text)) !== "";
  } catch (error) {
    if (error instanceof Problem && error.exitCode === EXIT.missing) return false;
    throw error;
  }
}

/** Text that looks like a number or a choice in other letters. */
function coerced(value: string | number, forms: readonly Schema[]): string | number {
  if (typeof value === "number") return isText(forms) && Number.isSafeInteger(value) ? String(value) : value;
  return choicesIn(forms)?.find((choice) => choice.toLowerCase() === value.toLowerCase()) ?? value;
}

/** Tags with the ids of those that are managed; others are labels. */
async function tagsNamed(api: Api, value: unknown): Promise<unknown> {
  if (typeof value === "string") return tagIds(api, [value]);
  if (Array.isArray(value)) return tagIds(api, value);
  if (!isBody(value)) return value;
  const changes = Object.entries(value).map(
    async ([name, tags]) => [name, Array.isArray(tags) ? await tagIds(api, tags) : tags] as const,
  );
  return Object.fromEntries(await Promise.all(changes));
}

async function idsOf(api: Api, resource: Resource, value: unknown, place: Surrounding): Promise<unknown> {
  if (Array.isArray(value)) return inOrder(value, (one) => idsOf(api, resource, one, place));
  if (typeof value !== "string" && typeof value !== "number") return value;
  const text = resource.name === "ports" && /^\d+$/.test(String(value)) ? `${value}/Tcp` : String(value);
  if (isId(text.toLowerCase())) return text;
  const local = place.locals?.get(localKey(resource.singular, text));
  if (local !== undefined) return local;
  if (place.isComing?.(resource.singular, text) === true) throw new Coming(EXIT.missing, `${text} comes later.`);
  return idOf(api, resource, text, withinOf(resource, place));
}

async function inOrder(values: readonly unknown[], of: (value: unknown) => Promise<unknown>): Promise<unknown[]> {
  const made: unknown[] = [];
  for (const value of values) made.push(await of(value));
  return made;
}

const localKey = (singular: string, name: string): string => `${singular} ${name.toLowerCase()}`;

/** Gives ids to the ports and interfaces of a new host, by which its services are bound to them. */
function withLocals(
  members: Members,
  body: Body,
): { readonly body: Body; readonly locals: Map<string, string> | null } {
  const services = body["services"];
  if (!members.has("ports") || !Array.isArray(services) || services.length === 0) return { body, locals: null };
  const locals = new Map<string, string>();
  const identified = ["ports", "interfaces"].flatMap((plural) => {
    const children = body[plural];
    if (!Array.isArray(children)) return [];
    const singular = plural.slice(0, -1);
    const made = (children as readonly unknown[]).map((child) => {
      if (!isBody(child)) return child;
      const { id = randomUUID(), ...others } = child;
      for (const name of [nameOf(child), child["ip_address"]])
        if (typeof name === "string" && name !== "") locals.set(localKey(singular, name), String(id));
      return { id, ...others };
    });
    return [[plural, made] as const];
  });
  return { body: { ...body, ...Object.fromEntries(identified) }, locals };
}

/** The host that it is on, or is at an end of it. */
function hostIn({ host_id, host, client, ends }: Body): string | null {
  const end: unknown = host_id ?? host ?? client ?? (Array.isArray(ends) ? ends[0] : null);
  const said = isBody(end) ? (end["host_id"] ?? end["host"]) : end;
  return typeof said === "string" ? said : null;
}

/** Adds the user and organization of a body that needs them: those of the caller, unless it names others. */
export async function withCaller(
  { client }: Pick<Connection, "client">,
  schemas: readonly Schema[],
  body: Body,
): Promise<Body> {
  const members = membersOf(schemas.flatMap(formsOf));
  if (members?.has("user_id") !== true) return body;
  const { user, organization } = await client.call(whoami, {});
  return { tags: [], organization_id: organization.id, ...(!("user" in body) && { user_id: user.id }), ...body };
}

/** Adds the network of a body that needs one: the given one, that of its host, or the only one there is. @throws Problem */
export async function withNetwork(
  api: Api,
  schemas: readonly Schema[],
  body: Body,
  network: string | undefined,
): Promise<Body> {
  const members = membersOf(schemas.flatMap(formsOf));
  const isGiven = body["network_id"] !== undefined || body["network"] !== undefined;
  if (members?.has("network_id") !== true || isGiven) return body;
  if (network !== undefined) return { network_id: await idOf(api, resourceNamed("networks"), network), ...body };
  const isOptional = members.get("network_id")?.every((schema) => z.safeParse(schema, undefined).success) ?? true;
  if (isOptional) return body;
  const host = hostIn(body);
  if (host !== null) {
    const id = await idOf(api, resourceNamed("hosts"), host);
    for await (const { network_id } of entitiesOf(api, resourceNamed("hosts"), { ids: [id] }))
      return { network_id, ...body };
  }
  return { network_id: await onlyNetwork(api, undefined), ...body };
}

import {
  type Change,
  type Host,
  KINDS,
  type KindName,
  listChanges,
  listDependencies,
  listLinks,
} from "@nts/shared/contract";
import { type Body, isBody } from "./bodies.js";
import type { Connection } from "./connection.js";
import { entitiesOf } from "./find.js";
import { ageOf, isMomentText } from "./moments.js";
import { cell, nameOf, table } from "./output.js";
import { KIND_BY_PLURAL, referredBy, type Resource } from "./resources.js";
import { addressesOf, withNames } from "./shown.js";
import { send } from "./writes.js";

// Everything about one entity: its members with names for ids, what is on it, what it is connected with, and what has
// happened to it.

const MOST_LISTED = 100;
const MOST_CHANGES = 10;

interface Section {
  readonly title: string;
  readonly rows: readonly Body[];
  readonly columns: readonly string[];
  /** There are more of them. */
  readonly isCut?: boolean;
}

/** @param asOf shows a past state, without changes */
export async function description(
  connection: Connection,
  resource: Resource,
  entity: Body,
  asOf?: unknown,
): Promise<string> {
  const kind = KIND_BY_PLURAL.get(resource.name) ?? null;
  const past = asOf === undefined ? {} : { as_of: asOf };
  const [named = {}] = (await withNames(connection, [entity], true)) as Body[];
  const facts = await factsOf(connection, named);
  const sections = [
    ...(kind === "Host" ? await partsOf(connection, entity as unknown as Host) : []),
    ...(kind === "Host" || kind === "Service" ? await dependenciesOf(connection, kind, entity, past) : []),
    ...(kind === "Host" ? await linksOf(connection, entity, past) : []),
    ...(kind === null || asOf !== undefined ? [] : await changesOf(connection, kind, entity)),
  ];
  return [facts, ...sections.filter(({ rows }) => rows.length > 0).map(sectionText)].join("\n\n");
}

function sectionText({ title, rows, columns, isCut = false }: Section): string {
  const shown = columns.filter((column) => rows.some((row) => cell(row[column]) !== ""));
  const lines = table(rows, shown).split("\n");
  return [`${title}:`, ...lines.map((line) => `  ${line}`), ...(isCut ? ["  … and more"] : [])].join("\n");
}

/** Shown in sections of their own, or under another name. */
const APART = ["interfaces", "ports", "services", "bindings", "name", "network_id", "host_id"];

/** What says least about it. */
const LAST = ["source", "created_at", "updated_at", "id"];

async function factsOf(connection: Connection, entity: Body): Promise<string> {
  const facts: [string, string][] = [["Name", nameOf(entity)]];
  const order = ["network", "host", ...Object.keys(entity).filter((member) => !LAST.includes(member)), ...LAST];
  for (const member of new Set(order)) {
    const value = entity[member];
    if (APART.includes(member) || value === undefined) continue;
    const resource = referredBy(member);
    const text = resource === null ? phraseOf(value) : await namesOf(connection, resource, value);
    if (text !== "") facts.push([labelOf(member), text]);
  }
  const width = Math.max(...facts.map(([label]) => label.length)) + 3;
  return facts.map(([label, text]) => `${`${label}:`.padEnd(width)}${cell(text)}`).join("\n");
}

function labelOf(member: string): string {
  const label = member
    .replace(/^is_/, "")
    .replace(/_(?:ids?|at|since)$/, "")
    .replaceAll("_", " ");
  return `${label.charAt(0).toUpperCase()}${label.slice(1)}`;
}

async function namesOf(connection: Connection, { get }: Resource, value: unknown): Promise<string> {
  const ids = [value].flat().filter((id) => typeof id === "string");
  if (get === undefined) return ids.join(", ");
  const names: string[] = [];
  for (const id of ids.slice(0, MOST_LISTED)) {
    // What it refers to may be gone, or not for the caller's eyes.
    const found = await send(connection, get, { params: { id } }).catch(() => null);
    names.push(found === null ? id : nameOf(found.data as Body));
  }
  return names.join(", ");
}

/** A value in a line, such as `os Linux 5.10 (by nmap, for 3d)`. */
export function phraseOf(value: unknown, isInner = false): string {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return isMomentText(value) ? momentText(value, isInner) : value;
  if (Array.isArray(value)) return value.map((one) => phraseOf(one, true)).join(", ");
  if (!isBody(value)) return JSON.stringify(value);
  const { by, since, value: known, name, version, type, ...others } = value;
  const self = [known, type, name, version].map((one) => phraseOf(one, true)).filter((text) => text !== "");
  const inner = Object.entries(others)
    .map(([member, one]) => [member, phraseOf(one, true)] as const)
    .filter(([, text]) => text !== "")
    .map(([member, text]) => `${labelOf(member).toLowerCase()} ${text}`);
  const text = [...(self.length > 0 ? [self.join(" ")] : []), ...inner].join(", ");
  if (typeof by !== "string" || text === "") return text;
  return `${text} (by ${by}${typeof since === "string" ? `, for ${ageOf(since)}` : ""})`;
}

function momentText(moment: string, isInner: boolean): string {
  const age = ageOf(moment);
  const text = age.startsWith("in ") ? age : `${age} ago`;
  return isInner ? text : `${text}, ${moment}`;
}

async function partsOf(connection: Connection, host: Host): Promise<Section[]> {
  const subnets = new Map<string, string>();
  const subnet = referredBy("subnet_id");
  for (const { subnet_id } of host.interfaces)
    if (subnet !== null && !subnets.has(subnet_id))
      subnets.set(subnet_id, await namesOf(connection, subnet, subnet_id));
  return [
    {
      title: "Interfaces",
      rows: host.interfaces.map((one) => ({
        ...one,
        subnet: subnets.get(one.subnet_id),
        vendor: one.observed?.vendor?.value,
      })),
      columns: ["ip_address", "name", "mac_address", "vendor", "subnet", "missed_since"],
    },
    {
      title: "Ports",
      rows: host.ports.map((one) => ({ ...one, port: nameOf(one as unknown as Body) })),
      columns: ["port", "type", "missed_since"],
    },
    {
      title: "Services",
      rows: host.services.map((one) => ({
        ...one,
        address: addressesOf(one.bindings, host),
        observed: phraseOf(one.observed),
      })),
      columns: ["name", "service_definition", "address", "tags", "observed", "missed_since"],
    },
  ];
}

async function firstOf(connection: Connection, list: Resource["list"], query: object): Promise<Body[]> {
  const rows: Body[] = [];
  for await (const row of entitiesOf(connection, { list }, { ...query, limit: MOST_LISTED + 1 })) {
    rows.push(row);
    if (rows.length > MOST_LISTED) break;
  }
  return (await withNames(connection, rows)) as Body[];
}

async function dependenciesOf(connection: Connection, kind: KindName, { id }: Body, past: object): Promise<Section[]> {
  const query = { [`${KINDS[kind].singular}_id`]: id, ...past };
  const rows = await firstOf(connection, listDependencies, query);
  const columns = ["client", "server", "source", "note", "id"];
  return [{ title: "Dependencies", rows: rows.slice(0, MOST_LISTED), columns, isCut: rows.length > MOST_LISTED }];
}

async function linksOf(connection: Connection, { id }: Body, past: object): Promise<Section[]> {
  const rows = await firstOf(connection, listLinks, { host_id: id, ...past });
  const columns = ["ends", "kind", "speed_mbps", "tags", "id"];
  return [{ title: "Links", rows: rows.slice(0, MOST_LISTED), columns, isCut: rows.length > MOST_LISTED }];
}

async function changesOf(connection: Connection, kind: KindName, { id }: Body): Promise<Section[]> {
  const of = kind === "Host" ? { host_id: id as string } : { entity: kind, entity_id: id as string };
  const query = { ...of, order_direction: "desc" as const, limit: MOST_CHANGES };
  const { data } = await connection.client.changes(listChanges, { query });
  const rows = data.map(changeRow);
  return [{ title: "Last changes", rows, columns: CHANGE_COLUMNS }];
}

export const CHANGE_COLUMNS = ["at", "action", "what", "fields", "by", "comment", "request_id"];

/** A change as a row of a table. */
export function changeRow({ at, action, entity, name, fields, actor, comment, request_id }: Change): Body {
  return { at, action, what: `${entity} ${name}`, fields, by: actor?.email, comment, request_id };
}

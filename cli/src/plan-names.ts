import type { Plan } from "@nts/client";
import { isId } from "@nts/shared/contract";
import { socketText } from "@nts/shared/contract/sockets.rules";
import { type Body, isBody } from "./bodies.js";
import type { Connection } from "./connection.js";
import type { Entity } from "./find.js";
import { handleOf } from "./output.js";
import { referredBy, type Resource, resourceNamed } from "./resources.js";
import { byIds } from "./shown.js";

// Plans have ids of what entities refer to. People know those by name, as they may write them.

type Names = ReadonlyMap<string, string>;

/** References of a plan that are named. */
const MOST_NAMED = 1_000;

/** The plan with names instead of ids in what it updates. */
export async function withNamesIn(api: Pick<Connection, "transport">, plan: Plan): Promise<Plan> {
  const updates = plan.changes.filter(({ action }) => action === "update");
  const found = updates.flatMap(({ fields }) => referencesIn(fields, "")).slice(0, MOST_NAMED);
  if (found.length === 0) return plan;
  // A new host has no name yet but in the plan.
  const planned = plan.changes.filter(({ name }) => name !== "").map(({ id, name }) => [id, name] as const);
  const names = new Map([...planned, ...(await namesOf(api, found))]);
  return {
    ...plan,
    changes: plan.changes.map((change) => {
      if (change.action !== "update") return change;
      return { ...change, fields: named(change.fields, names) as typeof change.fields };
    }),
  };
}

interface Reference {
  readonly resource: Resource;
  readonly id: string;
}

function resourceOf(member: string): Resource | null {
  return member === "tags" ? resourceNamed("tags") : referredBy(member);
}

/** @param member the member that has the value, or the list that contains it; fields have `before` and `after` inside */
function referencesIn(value: unknown, member: string): Reference[] {
  if (Array.isArray(value)) return value.flatMap((one) => referencesIn(one, member));
  if (isBody(value))
    return Object.entries(value).flatMap(([name, one]) => referencesIn(one, isSide(name) ? member : name));
  const resource = typeof value === "string" && isId(value) ? resourceOf(member) : null;
  return resource === null ? [] : [{ resource, id: value as string }];
}

function isSide(name: string): boolean {
  return name === "before" || name === "after";
}

async function namesOf(api: Pick<Connection, "transport">, references: readonly Reference[]): Promise<Names> {
  const names = new Map<string, string>();
  for (const resource of new Set(references.map((one) => one.resource))) {
    if (!("ids" in (resource.list.query?.shape ?? {})) || resource.list.credential === "session") continue;
    const ids = references.filter((one) => one.resource === resource).map(({ id }) => id);
    // What the caller may not list keeps its id.
    const entities = await byIds(api, resource.list, ids).catch(() => new Map<string, Entity>());
    for (const [id, entity] of entities) names.set(id, handleOf(entity));
  }
  return names;
}

function named(value: unknown, names: Names): unknown {
  if (typeof value === "string") return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((one) => named(one, names));
  if (!isBody(value)) return value;
  if ("port_id" in value && "interface_id" in value) return socketOf(value, names);
  // Most of what an end may have is null.
  const members = Object.entries(value).filter(([, one]) => !("host_id" in value) || one !== null);
  return Object.fromEntries(
    members.map(([name, one]) => [
      referredBy(name) === null ? name : name.replace(/_id(s?)$/, "$1"),
      named(one, names),
    ]),
  );
}

/** A binding as in `--set bindings=10.0.0.5:443/tcp`. */
function socketOf({ port_id, interface_id }: Body, names: Names): string {
  const textOf = (id: unknown): string => (typeof id === "string" ? (names.get(id) ?? id) : "");
  const port = textOf(port_id);
  const address = textOf(interface_id);
  const [, number, protocol] = /^(\d+)\/(\w+)$/.exec(port) ?? [];
  if (address === "" || number === undefined) return [address, port].filter((text) => text !== "").join(" ");
  return `${socketText(address, Number(number))}/${protocol}`;
}

import { operationOf } from "@nts/shared/client";
import { pagesOf } from "@nts/client/pages";
import { isId } from "@nts/shared/contract";
import type { Connection } from "./connection.js";
import { nameOf } from "./output.js";
import { type Resource, resourceNamed } from "./resources.js";
import { EXIT, Problem } from "./terminal.js";

// People say names where the API wants ids.

export type Entity = Readonly<Record<string, unknown>> & { readonly id: string };

/** All of a list, page by page. */
export async function* entitiesOf(
  { transport }: Pick<Connection, "transport">,
  { list }: Pick<Resource, "list">,
  query: Readonly<Record<string, unknown>> = {},
): AsyncGenerator<Entity, void, void> {
  for await (const rows of pagesOf<Entity>(transport, operationOf(list), { query: { limit: 1_000, ...query } }))
    yield* rows;
}

/** What an entity may be called by. */
const NAMES = ["name", "hostname", "cidr", "ip_address", "email", "url"];

/** The id of what is called so, exactly or else in another case; an id is one. @throws Problem where nothing is, or several things are */
export async function idOf(
  connection: Pick<Connection, "transport">,
  resource: Resource,
  text: string,
  query: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  if (isId(text.toLowerCase())) return text;
  const searched = "q" in (resource.list.query?.shape ?? {}) ? { q: text, ...query } : query;
  const found: Entity[] = [];
  for await (const entity of entitiesOf(connection, resource, searched)) if (isCalled(entity, text)) found.push(entity);
  const exact = found.filter((entity) => NAMES.some((name) => entity[name] === text));
  const [first, second] = exact.length > 0 ? exact : found;
  if (first === undefined) throw new Problem(EXIT.missing, `There is no ${resource.singular} called ${text}.`);
  if (second === undefined) return first.id;
  const ids = found.map((entity) => `  ${entity.id}  ${nameOf(entity)}`).join("\n");
  throw new Problem(EXIT.usage, `Several ${resource.name} are called ${text}; say which by its id:\n${ids}`);
}

/** In whatever case. */
function isCalled(entity: Entity, text: string): boolean {
  const names = NAMES.map((name) => entity[name]).filter((name) => typeof name === "string");
  return names.some((name) => name.toLowerCase() === text.toLowerCase());
}

/** The same query with ids in the place of names of networks and hosts. */
export async function withIds(
  connection: Pick<Connection, "transport">,
  query: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const resolved: Record<string, unknown> = { ...query };
  for (const kind of ["network", "host"]) {
    const value = query[`${kind}_id`];
    if (typeof value === "string") resolved[`${kind}_id`] = await idOf(connection, resourceNamed(`${kind}s`), value);
  }
  return resolved;
}

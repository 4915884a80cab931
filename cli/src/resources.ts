import type { ZodType } from "zod";
import { type AnyEndpoint, KIND_NAMES, type KindName, OPERATIONS, pluralOf } from "@nts/shared/contract";
import { choicesIn, elementsOf, formsOf, isList, isMoment } from "./schemas.js";

// The resources of `get`, `create`, `edit` and `delete`: the lists of the contract, with the operations under the same
// paths.

/** A resource with a list. */
export interface Resource {
  /** Such as `service-definitions`. */
  readonly name: string;
  readonly singular: string;
  readonly list: AnyEndpoint;
  readonly get: AnyEndpoint | undefined;
  readonly create: AnyEndpoint | undefined;
  readonly patch: AnyEndpoint | undefined;
  readonly remove: AnyEndpoint | undefined;
  /** Deletes several, all or none. */
  readonly removeAll: AnyEndpoint | undefined;
}

export const RESOURCES: readonly Resource[] = OPERATIONS.filter(({ list }) => list === true).map((list) => {
  const of = (method: string, path: string): AnyEndpoint | undefined =>
    OPERATIONS.find((operation) => operation.method === method && operation.path === path);
  const name = nameOf(list.path);
  return {
    ...{ name, singular: singularOf(name), list },
    get: of("get", `${list.path}/{id}`),
    create: of("post", list.path),
    patch: of("patch", `${list.path}/{id}`),
    remove: of("delete", `${list.path}/{id}`),
    removeAll: of("post", `${list.path}/bulk-delete`),
  };
});

/** The word for one of them. */
export function singularOf(plural: string): string {
  return plural
    .replace(/ies$/, "y")
    .replace(/sses$/, "ss")
    .replace(/(?<!s)s$/, "");
}

/** The resource with this list path, such as `/api/v1/networks`. */
export function resourceNamed(name: string): Resource {
  const found = RESOURCES.find((resource) => resource.name === name);
  if (found === undefined) throw new Error(`there is no list of ${name}`);
  return found;
}

/** The kinds of the inventory by the names of their resources. */
export const KIND_BY_PLURAL: ReadonlyMap<string, KindName> = new Map(
  KIND_NAMES.map((name) => [pluralOf(name), name] as const),
);

/** The resource that a member such as `host_id` or `vlan_ids` refers to; null if it is no reference. */
export function referredBy(member: string): Resource | null {
  const [, singular = null] = /^(\w+)_ids?$/.exec(member) ?? [];
  return RESOURCES.find((resource) => resource.singular === singular && resource.name !== "bindings") ?? null;
}

/** Keys and sessions are the caller's own; those of all users have a longer name. */
function nameOf(path: string): string {
  const parts = path.replace("/api/v1/", "").split("/");
  return parts[0] === "auth" ? parts.slice(1).join("-") : parts.join("-").replace("organizations-", "organization-");
}

/** A parameter as a command line option. */
export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly isList: boolean;
  /** A time; people write how long ago. */
  readonly isMoment: boolean;
  /** Of a list: what it may contain. */
  readonly choices: readonly string[] | null;
}

/** The parameters of a query or path. */
export function parametersOf(schema: AnyEndpoint["query"]): Parameter[] {
  return Object.entries((schema?.shape ?? {}) as Readonly<Record<string, ZodType>>).map(([name, type]) => {
    const forms = formsOf(type);
    return {
      name,
      description: descriptionOf(type as Described),
      isRequired: !type.safeParse(undefined).success,
      isList: isList(type),
      isMoment: isMoment(type),
      choices: choicesIn(isList(type) ? elementsOf(forms).flatMap(formsOf) : forms),
    };
  });
}

interface Described {
  readonly description?: string;
  readonly def: { readonly innerType?: Described };
}

function descriptionOf({ description, def }: Described): string {
  if (description !== undefined) return description.replaceAll("`", "");
  return def.innerType === undefined ? "" : descriptionOf(def.innerType);
}

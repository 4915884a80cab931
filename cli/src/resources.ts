import type { ZodType } from "zod";
import { type AnyEndpoint, OPERATIONS } from "@nts/shared/contract";

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
}

export const RESOURCES: readonly Resource[] = OPERATIONS.filter(({ list }) => list === true).map((list) => {
  const of = (method: string, path: string): AnyEndpoint | undefined =>
    OPERATIONS.find((operation) => operation.method === method && operation.path === path);
  const name = nameOf(list.path);
  return {
    ...{ name, singular: name.replace(/ies$/, "y").replace(/s$/, ""), list },
    get: of("get", `${list.path}/{id}`),
    create: of("post", list.path),
    patch: of("patch", `${list.path}/{id}`),
    remove: of("delete", `${list.path}/{id}`),
  };
});

/** The resource with this list path, such as `/api/v1/networks`. */
export function resourceNamed(name: string): Resource {
  const found = RESOURCES.find((resource) => resource.name === name);
  if (found === undefined) throw new Error(`there is no list of ${name}`);
  return found;
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
  readonly choices: readonly string[] | null;
}

/** The parameters of a query or path. */
export function parametersOf(schema: AnyEndpoint["query"]): Parameter[] {
  return Object.entries(schema?.shape ?? {}).map(([name, type]) => {
    const { kind, choices } = bareType(type as Typed);
    return {
      ...{ name, choices },
      description: descriptionOf(type as Typed),
      isRequired: !(type as ZodType).safeParse(undefined).success,
      isList: kind === "array",
    };
  });
}

interface Typed {
  readonly description?: string;
  readonly def: {
    readonly type: string;
    readonly innerType?: Typed;
    readonly entries?: Readonly<Record<string, string>>;
  };
}

function bareType({ def }: Typed): { readonly kind: string; readonly choices: readonly string[] | null } {
  if (def.innerType !== undefined) return bareType(def.innerType);
  return { kind: def.type, choices: def.entries === undefined ? null : Object.values(def.entries) };
}

function descriptionOf({ description, def }: Typed): string {
  if (description !== undefined) return description.replaceAll("`", "");
  return def.innerType === undefined ? "" : descriptionOf(def.innerType);
}

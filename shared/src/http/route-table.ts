import findMyWay from "find-my-way";

/**
 * What a path and method lead to. Paths are matched as they were sent: case counts, so does a trailing slash, and only a
 * parameter may be percent-encoded; it is never empty, and nothing that another reader could take for a step in the path.
 * A path that is written out is never a parameter, whatever the method.
 */
export interface RouteTable<Value> {
  /** @param path with `{name}` placeholders */
  add(method: string, path: string, value: Value): void;
  find(
    method: string,
    path: string,
  ): { readonly value: Value; readonly params: Readonly<Record<string, string>> } | null;
  /** Methods that the path has, upper case; empty when no route has the path. */
  methodsOf(path: string): string[];
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** A parameter: no step in the path, also when it is encoded, which some readers decode before they look for steps. */
const PARAMETER = String.raw`(?!\.\.?(?:/|$))(?:(?!%2[eEfF]|%5[cC])[^/#\\])+`;

interface Stored<Value> {
  readonly value: Value;
  readonly template: string;
  /** What the path must be like as it was sent: the look-up is lenient, it decodes and cuts off a host or a fragment. */
  readonly form: RegExp;
}

/** An empty table. */
export function createRouteTable<Value>(): RouteTable<Value> {
  const table = findMyWay({ caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 200 });
  const written = new Set<string>();
  const unused = (): void => undefined;
  const find: RouteTable<Value>["find"] = (method, path) => {
    const found = table.find(method as "GET", path);
    if (found === null) return null;
    const { value, template, form } = found.store as Stored<Value>;
    if (path !== template && (written.has(path) || !form.test(path))) return null;
    return { value, params: found.params as Record<string, string> };
  };
  return {
    add: (method, path, value) => {
      const stored: Stored<Value> = { value, template: path, form: formOf(path) };
      if (!path.includes("{")) written.add(path);
      table.on(method.toUpperCase() as "GET", path.replaceAll(/\{(\w+)\}/g, ":$1"), unused, stored);
    },
    find,
    methodsOf: (path) => METHODS.filter((method) => find(method, path) !== null),
  };
}

function formOf(template: string): RegExp {
  const segments = template
    .split("/")
    .map((segment) => (segment.startsWith("{") ? PARAMETER : segment.replaceAll(/[^\w-]/g, String.raw`\$&`)));
  return new RegExp(`^${segments.join("/")}$`);
}

import findMyWay from "find-my-way";

/**
 * Routes by path and method. Paths match as sent: case and trailing slashes count, only parameters may be
 * percent-encoded, and parameters are never empty or dot segments. Literal segments win over parameters, whatever the
 * method.
 */
export interface RouteTable<Value> {
  /** @param path with `{name}` placeholders */
  add(method: string, path: string, value: Value): void;
  find(
    method: string,
    path: string,
  ): { readonly value: Value; readonly params: Readonly<Record<string, string>> } | null;
  /** Methods of the path, upper case; empty if no route has the path. */
  methodsOf(path: string): string[];
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** A parameter that is not a dot segment, even if some readers decode before they look for segments. */
const PARAMETER = String.raw`(?!\.\.?(?:/|$))(?:(?!%2[eEfF]|%5[cC])[^/#\\])+`;

interface Stored<Value> {
  readonly value: Value;
  readonly template: string;
  /** Checks the path as sent, because the lookup decodes it and cuts off a host or fragment. */
  readonly form: RegExp;
}

/** Creates an empty table. */
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

import findMyWay from "find-my-way";

/** What a path and method lead to. Paths are matched as they were sent: case counts, and so does a trailing slash. */
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

const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;

/** An empty table. */
export function createRouteTable<Value>(): RouteTable<Value> {
  const table = findMyWay({ caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 200 });
  const unused = (): void => undefined;
  const find: RouteTable<Value>["find"] = (method, path) => {
    const found = table.find(method as "GET", path);
    return found === null
      ? null
      : { value: (found.store as { value: Value }).value, params: found.params as Record<string, string> };
  };
  return {
    add: (method, path, value) => {
      table.on(method.toUpperCase() as "GET", path.replaceAll(/\{(\w+)\}/g, ":$1"), unused, { value });
    },
    find,
    methodsOf: (path) => METHODS.filter((method) => find(method, path) !== null),
  };
}

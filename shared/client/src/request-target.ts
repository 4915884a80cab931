/**
 * What follows the origin in the URL of a request: the path of an operation with its placeholders filled in, and the query.
 * Members that are undefined are left out; a list is sent as one parameter for each of its elements.
 */
export function requestTarget(path: string, { params, query }: { params?: unknown; query?: unknown }): string {
  const values = (params ?? {}) as Readonly<Record<string, string>>;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(values[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    for (const text of Array.isArray(value) ? value.map(asElement) : [String(value)])
      if (value !== undefined) search.append(name, text);
  return search.size === 0 ? filled : `${filled}?${search.toString()}`;
}

/** A comma separates the values of a list, unless a backslash stands before it. */
function asElement(value: unknown): string {
  return String(value).replaceAll(",", "\\,");
}

/** Path and query of a request URL. Undefined members are omitted; each element of a list becomes a parameter. */
export function requestTarget(path: string, { params, query }: { params?: unknown; query?: unknown }): string {
  const values = (params ?? {}) as Readonly<Record<string, string>>;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(values[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    for (const text of Array.isArray(value) ? value.map(asElement) : [String(value)])
      if (value !== undefined) search.append(name, text);
  return search.size === 0 ? filled : `${filled}?${search.toString()}`;
}

/** Escapes the comma, which separates list values. */
function asElement(value: unknown): string {
  return String(value).replaceAll(",", "\\,");
}

/** What it takes to make entities of a kind from bodies, as plain data. */
export interface Recipe {
  /** Members of an entity, in order. */
  readonly members: readonly string[];
  /** Those that a body sets. */
  readonly given: ReadonlySet<string>;
  /** What members become that nobody has set. */
  readonly absent: object;
}

/** Makes an entity from a body, the members that the server sets, and for those that both leave out, another entity. */
export function madeBy({ members, given, absent }: Recipe, body: object, server: object, before?: object): object {
  const entity: Record<string, unknown> = {};
  for (const name of members) {
    const value = valueIn(given.has(name) ? body : server, name);
    const present = value === undefined ? valueIn(before ?? absent, name) : value;
    if (present !== undefined) entity[name] = present;
  }
  return entity;
}

export function valueIn(from: object, name: string): unknown {
  return (from as Readonly<Record<string, unknown>>)[name];
}

import { isBody } from "./bodies.js";

/**
 * Whether a member is as a body says. Members that objects of the body leave out are as they are, or null in the ends of
 * dependencies and links, which have no order.
 */
export function isSame(value: unknown, said: unknown): boolean {
  if (Array.isArray(value)) return Array.isArray(said) && areSame(value, said);
  if (isBody(value) && isBody(said)) return isSameBody(value, said);
  return value === said;
}

function areSame(values: readonly unknown[], said: readonly unknown[]): boolean {
  if (values.length !== said.length) return false;
  const isIn = (order: readonly unknown[]): boolean => values.every((one, n) => isSame(one, order[n]));
  const areEnds = values.length === 2 && values.every((one) => isBody(one) && "host_id" in one && "port" in one);
  return isIn(said) || (areEnds && isIn([...said].reverse()));
}

function isSameBody(value: Readonly<Record<string, unknown>>, said: Readonly<Record<string, unknown>>): boolean {
  const isEnd = "host_id" in value && ("port" in value || "process" in value || "port_id" in value);
  if (isEnd) return Object.entries(value).every(([name, one]) => isSame(one, said[name] ?? null));
  // Without an interface, a port is bound on all of them.
  const all = value["type"] === "Port" ? { interface_id: null, ...said } : said;
  return Object.entries(all).every(([name, one]) => isSame(value[name], one));
}

import { isObject, type JsonObject, listAt, memberOf } from "./json.js";
import { portNumberIn } from "./machine.js";

// Values of Compose files: merge keys, variables, and the short and long forms of ports.

/** Mappings that are merged into one, or that a service extends. */
const MOST_MERGED = 50;
const MOST_TEXT = 2_000;
/** Variables in defaults of variables. */
const MOST_NESTED = 10;
/** Ports of one entry. */
const MOST_OF_RANGE = 1_000;
const NAME = /[A-Za-z_]\w*/y;

/** A mapping and what is merged into it by `<<`, the most important first. */
export function mergedOf(value: unknown): JsonObject[] {
  const found: JsonObject[] = [];
  const waiting: unknown[] = [value];
  for (let next = waiting.shift(); next !== undefined && found.length < MOST_MERGED; next = waiting.shift()) {
    if (!isObject(next)) continue;
    found.push(next);
    const merged = listAt(next, "<<");
    waiting.unshift(memberOf(next, "<<") ?? null, ...merged.slice(0, MOST_MERGED));
  }
  return found;
}

/** The first value that one of some mappings gives a member. */
export function firstOf(mappings: readonly JsonObject[], name: string): unknown {
  for (const mapping of mappings) {
    const value = memberOf(mapping, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The members of a mapping, those merged into it included. */
export function entriesOf(value: unknown): [string, unknown][] {
  const entries = new Map<string, unknown>();
  for (const mapping of mergedOf(value))
    for (const [name, member] of Object.entries(mapping))
      if (name !== "<<" && !entries.has(name)) entries.set(name, member);
  return [...entries];
}

/** A text with its variables replaced by their defaults; those without one are empty, and are added to `unknown`. */
export function withDefaults(text: string, unknown: Set<string>, depth = 0): string {
  const cut = text.slice(0, MOST_TEXT);
  let result = "";
  let at = 0;
  for (let dollar = cut.indexOf("$"); dollar !== -1; dollar = cut.indexOf("$", at)) {
    result += cut.slice(at, dollar);
    const isBraced = cut[dollar + 1] === "{";
    NAME.lastIndex = dollar + (isBraced ? 2 : 1);
    const name = NAME.exec(cut)?.[0] ?? "";
    const from = dollar + (isBraced ? 2 : 1) + name.length;
    if (name === "") {
      // `$$` stands for one.
      result += "$";
      at = dollar + (cut[dollar + 1] === "$" ? 2 : 1);
    } else {
      at = isBraced ? closingBrace(cut, from) : from;
      result += valueOf(name, cut.slice(from, isBraced ? at - 1 : from), unknown, depth);
    }
  }
  return result + cut.slice(at);
}

/** @param rest of a variable in braces, such as `:-80` */
function valueOf(name: string, rest: string, unknown: Set<string>, depth: number): string {
  const [, sign = "", word = ""] = /^:?([-+?]?)([\s\S]*)$/.exec(rest) ?? [];
  if (sign === "+") return "";
  if (sign === "-" && depth < MOST_NESTED) return withDefaults(word, unknown, depth + 1);
  unknown.add(name);
  return "";
}

/** The position after the brace that closes a variable. */
function closingBrace(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at + 1;
  }
  return text.length + 1;
}

/** A port of a container. */
export interface PublishedPort {
  /** Where its machine publishes it; empty for all addresses. */
  readonly address: string;
  /** Null if the machine chooses it. */
  readonly published: number | null;
  readonly target: number;
  readonly protocol: string;
}

/** Ports of an entry, or why there are none. */
export type PortsOfEntry = readonly PublishedPort[] | { readonly reason: string };

const NOT_A_PORT = "it is not a port from 1 to 65535";

/** `8080:80`, `127.0.0.1:53:53/udp`, `[::1]:80:80`, `3000-3005:3000-3005` and `80`. */
export function shortPorts(text: string): PortsOfEntry {
  const [, address = "", published = "", target = "", protocol = "tcp"] =
    /^(?:(?:(.{0,100}):)?([\d-]{0,20}):)?([\d-]{1,20})(?:\/([a-z]{1,10}))?$/i.exec(text.slice(0, MOST_TEXT).trim()) ??
    [];
  return portsOf({ address: address.replace(/^\[(.*)\]$/, "$1"), published, target, protocol });
}

/** `{target: 80, published: "8080", host_ip: 127.0.0.1, protocol: tcp}`. */
export function longPorts(textAt: (name: string) => string): PortsOfEntry {
  const written = { address: textAt("host_ip"), published: textAt("published"), target: textAt("target") };
  return portsOf({ ...written, protocol: textAt("protocol") || "tcp" });
}

interface WrittenPorts {
  readonly address: string;
  readonly published: string;
  readonly target: string;
  readonly protocol: string;
}

function portsOf({ address, published, target, protocol }: WrittenPorts): PortsOfEntry {
  const targets = rangeIn(target);
  const publishes = published === "" ? [] : rangeIn(published);
  if (targets === null || publishes === null) return { reason: NOT_A_PORT };
  if (targets.length > MOST_OF_RANGE || publishes.length > MOST_OF_RANGE)
    return { reason: `an import takes at most ${MOST_OF_RANGE} ports of an entry` };
  if (publishes.length > 1 && publishes.length !== targets.length)
    return { reason: `it is published on one of the ports ${published}; \`docker inspect\` says on which` };
  return targets.map((number, at) => ({
    address,
    published: publishes[at] ?? null,
    target: number,
    protocol: protocol.toLowerCase(),
  }));
}

/** The numbers of a range such as `3000-3005`; null if it is none. */
function rangeIn(text: string): number[] | null {
  const [first = "", last = first, more] = text.split("-", 3);
  const from = portNumberIn(first);
  const to = portNumberIn(last);
  if (from === null || to === null || to < from || more !== undefined) return null;
  return Array.from({ length: Math.min(to - from, MOST_OF_RANGE) + 1 }, (_, at) => from + at);
}

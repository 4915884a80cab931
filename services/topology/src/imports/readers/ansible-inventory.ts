import type { AttributeValue } from "@nts/shared/contract";
import { ATTRIBUTE_KEY, ATTRIBUTE_LIMIT, MOST_ATTRIBUTES } from "@nts/shared/contract/attributes.rules";
import { ROLE_NAMES } from "@nts/shared/contract/role-names.rules";
import type { Scan, SeenHost } from "../scan.rules.js";
import { isObject, type JsonObject, jsonIn, listAt, memberOf, objectAt, textAt } from "./json.js";
import { beginningOf, faultAt, type Line, linesOf } from "./lines.js";
import type { Reader } from "./reader.js";
import { createSightings, type Sightings } from "./sightings.js";
import { addressIn, clip, hostnameIn, reasonAgainst, toolInfo } from "./texts.js";
import { yamlDocumentsIn } from "./yaml.js";

// Inventories of Ansible: the JSON of `ansible-inventory --list` and of this system's export, YAML, and INI files. They are written
// by people, and observe nothing.

/** Depth of groups within groups. */
const MOST_DEPTH = 32;
const SECTION = /^\[([\w.-]{1,200})(?::(vars|children))?\]$/;
const HOST_LINE = /^([\w.:-]{1,253})((?:\s+[\w.]+=(?:"[^"]*"|'[^']*'|\S+))*)\s*(?:#.*)?$/;

/** `all`, with its hosts or groups, is the first line of an inventory in YAML. */
const IN_YAML =
  /^(?:---[ \t]*\r?\n)?(?:[ \t]*(?:#[^\n]*)?\n)*(?:(?:all|ungrouped):\s*\n\s+["']?(?:hosts|children|vars)|[\w-]{1,100}:\s*\n\s+["']?(?:hosts|children))["']?:\s*\n/;

/** What `ansible_host` was called before Ansible 2. */
const OF_ANSIBLE_1 = "ansible_ssh_host";

export const ansibleInventory: Reader = { format: "ansible-inventory", looksLike, read: readInventory };

function looksLike(beginning: string): boolean {
  if (beginning.startsWith("{"))
    return /^\{\s*"(?:_meta"\s*:\s*\{\s*"hostvars"|all"\s*:\s*\{\s*"(?:hosts|children)")/.test(beginning);
  if (IN_YAML.test(beginning)) return true;
  return (
    /^(?:\s*[#;][^\n]*\n|\s*\n)*(?:\[[\w.-]+(?::\w+)?\]|\S+\s+ansible_(?:ssh_)?host=)/.test(beginning) &&
    /\bansible_\w+=/.test(beginning)
  );
}

function readInventory(bytes: Iterable<Uint8Array>): Scan {
  const blocks = [...bytes];
  const sightings = createSightings();
  // A host may be in several groups, one of which has its variables.
  const found = new Map<string, Entry>();
  for (const entry of entriesIn(blocks, sightings)) {
    const known = found.get(entry.name);
    const variables = { ...entry.variables, ...known?.variables };
    found.set(entry.name, known === undefined ? entry : { ...known, variables });
  }
  for (const entry of found.values()) take(sightings, entry);
  if (found.size === 0) throw faultAt(1, "must be an inventory with hosts, as of `ansible-inventory --list`");
  return sightings.scan(toolInfo("Ansible"), null);
}

interface Entry {
  readonly line: number;
  readonly name: string;
  readonly variables: JsonObject;
}

function* entriesIn(blocks: readonly Uint8Array[], sightings: Sightings): Generator<Entry> {
  const beginning = beginningOf(blocks);
  if (beginning.startsWith("{")) yield* inGroups(jsonIn(blocks));
  else if (!IN_YAML.test(beginning)) yield* inIni(blocks, sightings);
  else
    for (const { value } of yamlDocumentsIn(blocks, "import the output of `ansible-inventory --list`"))
      yield* inGroups(value);
}

function* inGroups(inventory: unknown): Generator<Entry> {
  if (!isObject(inventory)) throw faultAt(1, "must be an object of groups");
  const listed = Object.entries(objectAt(objectAt(inventory, "_meta"), "hostvars"));
  const groups = Object.entries(inventory).filter(([name]) => name !== "_meta");
  const written = groups.flatMap(([, group]) => [...hostsOf(group, 0)]);
  let line = 0;
  for (const [name, variables] of [...listed, ...written])
    yield { line: ++line, name, variables: isObject(variables) ? variables : {} };
}

/** Hosts of a group and its children; a list names hosts without variables. */
function* hostsOf(group: unknown, depth: number): Generator<[string, unknown]> {
  if (!isObject(group) || depth > MOST_DEPTH) return;
  yield* Object.entries(objectAt(group, "hosts"));
  for (const name of listAt(group, "hosts")) if (typeof name === "string") yield [name, {}];
  for (const child of Object.values(objectAt(group, "children"))) yield* hostsOf(child, depth + 1);
}

function* inIni(blocks: readonly Uint8Array[], { skipped }: Sightings): Generator<Entry> {
  let isOfHosts = true;
  for (const line of linesOf(blocks)) {
    const text = line.text.trim();
    const section = SECTION.exec(text);
    if (section !== null) isOfHosts = section[2] === undefined;
    else if (text === "" || /^[#;]/.test(text) || !isOfHosts) continue;
    else {
      const entry = hostIn(line, text);
      if (entry === null) skipped.add(line.number, `line ${line.number}`, `it is not a host; ${RANGES}`);
      else yield entry;
    }
  }
}

function hostIn({ number: line }: Line, text: string): Entry | null {
  const [, name, rest = ""] = HOST_LINE.exec(text) ?? [];
  if (name === undefined) return null;
  const found = rest.matchAll(/([\w.]+)=(?:"([^"]*)"|'([^']*)'|(\S+))/g);
  const variables = Object.fromEntries([...found].map(([, key = "", a, b, c]) => [key, a ?? b ?? c ?? ""]));
  return { line, name, variables };
}

/** Of several hosts, such as `web[01:20].example.com`. */
const RANGE = /\[\w+:\w+(?::\d+)?\]/;
const RANGES = "ranges of names are not read: import the output of `ansible-inventory --list`";

const KEY = new RegExp(`^${ATTRIBUTE_KEY}$`);

/** What this system's export says as people do; what is lost of it is skipped. */
function givenIn(variables: JsonObject, skip: (reason: string) => void): Pick<SeenHost, "role" | "attributes"> {
  const written = memberOf(variables, "nts_role");
  const role = ROLE_NAMES.find((name) => name === written) ?? null;
  if (typeof written === "string" && role === null) skip(`${written.slice(0, 50)} is not a role`);
  const all = Object.entries(objectAt(variables, "nts_attributes"));
  const entries = all
    .filter((entry): entry is [string, AttributeValue] => isAttribute(entry))
    .slice(0, MOST_ATTRIBUTES);
  if (entries.length < all.length)
    skip(`${all.length - entries.length} of its attributes have a key or a value that attributes cannot have`);
  return { role, ...(entries.length > 0 && { attributes: Object.fromEntries(entries) }) };
}

function isAttribute([key, value]: [string, unknown]): boolean {
  if (!KEY.test(key)) return false;
  if (typeof value !== "string") return typeof value === "number" || typeof value === "boolean";
  return value === "" || clip(value, ATTRIBUTE_LIMIT) === value;
}

/** Adds a host, or skips it with a reason. */
function take({ add, skipped }: Sightings, { line, name, variables }: Entry): void {
  const what = `host ${name.slice(0, 60)}`;
  if (RANGE.test(name)) {
    skipped.add(line, what, RANGES);
    return;
  }
  const given = textAt(variables, "ansible_host") || textAt(variables, OF_ANSIBLE_1);
  const written = [given, ...listAt(variables, "nts_addresses").map(String), name];
  const ips = [...new Set(written.flatMap((text) => addressIn(text) ?? []))];
  const usable = ips.filter((ip) => reasonAgainst(ip) === null);
  if (usable.length === 0) {
    skipped.add(
      line,
      what,
      ips.length === 0 ? "it has no address in ansible_host" : "its address is not that of a machine",
    );
    return;
  }
  const own = memberOf(variables, "nts_hostname");
  const hostname =
    (typeof own === "string" ? hostnameIn(own) : null) ??
    (own === undefined ? (hostnameIn(name) ?? (addressIn(given) === null ? hostnameIn(given) : null)) : null);
  const host: SeenHost = {
    line,
    addresses: usable.map((ip) => ({ ip, mac: null })),
    hostname,
    name: clip(textAt(variables, "nts_name"), 100),
    vendor: null,
    ...givenIn(variables, (reason) => {
      skipped.add(line, what, reason);
    }),
    ports: [],
  };
  add(host, what);
}

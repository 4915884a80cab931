import { MOST_SIGHTINGS, type Scan, type SeenAddress, type Skipped } from "../scan.rules.js";
import type { SaysOfHost } from "../observations.rules.js";
import { behindBridge, isOfBridge } from "./bridges.js";
import { documentsIn } from "./documents.js";
import { isObject, type JsonObject, listAt, memberOf, objectAt, textAt } from "./json.js";
import { kept } from "./kept.js";
import { faultAt } from "./lines.js";
import type { Reader } from "./reader.js";
import { createSightings, type Sightings } from "./sightings.js";
import { addressIn, cardOf, clip, hostnameIn, isLoopback, macIn, reasonAgainst, toolInfo } from "./texts.js";

// Facts of Ansible's `setup` module: its output, files of `--tree` and of the fact cache concatenated, and output of
// the `json` callback. Addresses reported by several machines, such as of NATs or bridges, identify none.

/** MAC addresses of virtual routers, shared by design. */
const SHARED_CARD = /^00:00:(?:5E:00:0[12]|0C:07:AC|0C:9F:F)/;
const SAYS_FACTS = /^(?:ansible_)?(?:all_ipv[46]_addresses|default_ipv[46]|interfaces|ip_addresses)$/;
/** Characters of what a machine says of itself. */
const LONGEST_TEXT = 200;
/** Per machine. */
const MOST_LINKS = 5_000;

/** A result of Ansible for a named machine. */
interface HostFacts {
  readonly line: number;
  readonly name: string;
  readonly facts: JsonObject;
}

/** The facts that are used. */
interface Machine {
  readonly line: number;
  readonly name: string;
  readonly hostname: string | null;
  readonly system: string | null;
  readonly says: SaysOfHost;
  readonly addresses: readonly SeenAddress[];
}

interface Link {
  readonly name: string;
  readonly mac: string;
  readonly addresses: readonly string[];
}

export const ansibleFacts: Reader = { format: "ansible-facts", looksLike, read: readFacts };

function looksLike(beginning: string): boolean {
  return /^(?:[[{]|\S{1,300} \| [A-Z]+!? => ?\{)/.test(beginning) && /"ansible_[a-z\d_]{1,100}"\s*:/.test(beginning);
}

function readFacts(bytes: Iterable<Uint8Array>): Scan {
  const sightings = createSightings();
  const machines = new Map<string, Machine>();
  for (const { line, label, value } of documentsIn(bytes))
    for (const reported of machinesIn(value, line, label.split(" | ", 1)[0] ?? "", sightings.skipped)) {
      machines.set(keyOf(reported), machineOf(reported, sightings.skipped));
      if (machines.size > MOST_SIGHTINGS) throw faultAt(line, `an import reads at most ${MOST_SIGHTINGS} machines`);
    }
  const shared = repeatedIn([...machines.values()].map(({ addresses }) => addresses));
  for (const machine of machines.values()) takeMachine(sightings, machine, shared);
  return sightings.scan(toolInfo("Ansible"));
}

/** The machines in a value. @throws AppError `validation_failed` if there are none */
function* machinesIn(value: unknown, line: number, name: string, skipped: Skipped): Generator<HostFacts> {
  const what = `machine ${clip(name, 60) ?? "without a name"}`;
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) yield* machinesIn(entry, index + 1, "", skipped);
    return;
  }
  const facts = factsIn(value);
  if (facts !== null) yield { line, name, facts };
  else if (isObject(value) && (value["unreachable"] === true || value["failed"] === true || "msg" in value))
    skipped.add(line, what, "it was unreachable, or returned no facts");
  else {
    const named = isObject(value) ? namedIn(value) : [];
    if (named.length === 0) throw faultAt(line, "must be facts as printed by `ansible -m setup`");
    for (const [host, reported] of named) {
      const own = factsIn(reported);
      if (own !== null) yield { line, name: host, facts: own };
      else skipped.add(line, `machine ${clip(host, 60) ?? ""}`, "it was unreachable, or returned no facts");
    }
  }
}

/** Facts from a module result or the cache; null for anything else. */
function factsIn(value: unknown): JsonObject | null {
  if (!isObject(value)) return null;
  if (isObject(value["ansible_facts"])) return value["ansible_facts"];
  return Object.keys(value).some((name) => SAYS_FACTS.test(name)) ? value : null;
}

/** Values by machine name, from the tasks of plays or at top level. */
function namedIn(value: JsonObject): [string, unknown][] {
  const tasks = listAt(value, "plays").flatMap((play) => (isObject(play) ? listAt(play, "tasks") : []));
  if (tasks.length > 0) return tasks.flatMap((task) => (isObject(task) ? Object.entries(objectAt(task, "hosts")) : []));
  const members = Object.entries(value);
  return members.some(([, member]) => factsIn(member) !== null) ? members : [];
}

/** Results with the same name and machine id are merged; without a name, they may be of copies, which differ in their cards. */
function keyOf({ name, facts, line }: HostFacts): string {
  const reported = [fact(facts, "machine_id"), fact(facts, "fqdn"), fact(facts, "hostname"), fact(facts, "nodename")];
  const card = name === "" ? textAt(objectOf(fact(facts, "default_ipv4")), "macaddress") || firstCardIn(facts) : "";
  const texts = [...reported, card].map((text) => (typeof text === "string" ? text.slice(0, 300) : ""));
  const key = [name, ...texts].join("\n");
  return key.trim() === "" ? `line ${line}` : key;
}

function firstCardIn(facts: JsonObject): string {
  return linksIn(facts).find(({ mac, addresses }) => macIn(mac) !== null && addresses.length > 0)?.mac ?? "";
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function fact(facts: JsonObject, name: string): unknown {
  const prefixed = memberOf(facts, `ansible_${name}`);
  return prefixed === undefined ? memberOf(facts, name) : prefixed;
}

function textFact(facts: JsonObject, name: string): string {
  const value = fact(facts, name);
  return typeof value === "string" ? value : "";
}

function machineOf({ line, name, facts }: HostFacts, skipped: Skipped): Machine {
  const hostname = hostnameOf(facts) ?? (addressIn(name) === null ? hostnameIn(name) : null);
  const called = clip(name === "" ? (hostname ?? "") : name, 60) ?? "without a name";
  const addresses = addressesOf(facts, (text, reason) => {
    skipped.add(line, `address ${text.slice(0, 50)} of machine ${called}`, reason);
  });
  for (const fact of [
    "distribution",
    "distribution_version",
    "os_name",
    "system_vendor",
    "product_name",
    "product_serial",
  ])
    kept(textFact(facts, fact), LONGEST_TEXT, { skipped, line, what: `${fact} of machine ${called}` });
  return { line, name: called, hostname, system: systemOf(facts), says: saysOf(facts), addresses };
}

/** The reachable addresses of a machine, with their MAC addresses. */
function addressesOf(facts: JsonObject, skip: (text: string, reason: string) => void): SeenAddress[] {
  const found = new Map<string, SeenAddress>();
  for (const link of linksIn(facts))
    for (const text of link.addresses) {
      const ip = addressIn(text);
      if (ip === null || isLoopback(ip)) continue;
      const reason = faultOf(ip, link);
      if (reason !== null) skip(text, reason);
      else if ((found.get(ip)?.mac ?? null) === null) found.set(ip, { ip, mac: cardOf(macIn(link.mac), ip).mac });
    }
  return [...found.values()];
}

function faultOf(ip: string, { name, mac }: Link): string | null {
  if (isOfBridge(name)) return behindBridge(name);
  return SHARED_CARD.test(macIn(mac) ?? "")
    ? "it is a virtual address of several routers (VRRP, HSRP)"
    : reasonAgainst(ip);
}

/** The links of a machine; if none are listed, all of its addresses without MAC address. */
function linksIn(facts: JsonObject): Link[] {
  const listed = fact(facts, "interfaces");
  // Windows lists them, or reports them as separate facts.
  const reported = [...(Array.isArray(listed) ? (listed as unknown[]) : []), ...Object.values(facts)];
  const links = reported.slice(0, MOST_LINKS).flatMap((value) => (isObject(value) ? (linkIn(value) ?? []) : []));
  if (links.some(({ addresses }) => addresses.length > 0)) return links;
  const all = ["all_ipv4_addresses", "all_ipv6_addresses", "ip_addresses"].flatMap((name) => {
    const value = fact(facts, name);
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  });
  return [{ name: "", mac: "", addresses: all.slice(0, MOST_LINKS) }];
}

function linkIn(value: JsonObject): Link | null {
  const name = textAt(value, "device") || textAt(value, "connection_name");
  if (name === "") return null;
  const addresses = ["ipv4", "ipv4_secondaries", "ipv6"].flatMap((member) => {
    const one = value[member];
    const list = Array.isArray(one) ? (one as unknown[]) : [one];
    return list.slice(0, MOST_LINKS).flatMap((entry) => (isObject(entry) ? [textAt(entry, "address")] : []));
  });
  return { name, mac: textAt(value, "macaddress"), addresses };
}

interface Shared {
  readonly ips: ReadonlySet<string>;
  readonly macs: ReadonlySet<string>;
}

/** Addresses and MAC addresses reported by several machines. */
function repeatedIn(machines: readonly (readonly SeenAddress[])[]): Shared {
  const repeated = (textsOf: (addresses: readonly SeenAddress[]) => readonly string[]): Set<string> => {
    const once = new Set<string>();
    const often = new Set<string>();
    for (const addresses of machines)
      for (const text of new Set(textsOf(addresses))) (once.has(text) ? often : once).add(text);
    return often;
  };
  return {
    ips: repeated((addresses) => addresses.map(({ ip }) => ip)),
    macs: repeated((addresses) => addresses.flatMap(({ mac }) => mac ?? [])),
  };
}

/** Adds a machine, or skips it with a reason. */
function takeMachine({ add, skipped }: Sightings, machine: Machine, shared: Shared): void {
  const { line, name, hostname, system } = machine;
  const what = `machine ${name}`;
  const addresses = machine.addresses.filter(({ ip }) => !shared.ips.has(ip));
  for (const { ip } of machine.addresses)
    if (shared.ips.has(ip)) skipped.add(line, `address ${ip} of ${what}`, "several machines report it");
  if (addresses.length === 0) skipped.add(line, what, "it has no address that other machines can reach");
  else {
    const apart = addresses.map(({ ip, mac }) => ({ ip, mac: mac !== null && shared.macs.has(mac) ? null : mac }));
    add({ line, addresses: apart, hostname, vendor: system, says: machine.says, ports: [] }, what);
  }
}

/** The fully qualified name of a machine, if known. */
function hostnameOf(facts: JsonObject): string | null {
  const full = textFact(facts, "fqdn");
  const own = [full.startsWith("localhost") ? "" : full, textFact(facts, "hostname"), textFact(facts, "nodename")];
  return hostnameIn(own.find((text) => text !== "" && text !== "localhost") ?? "");
}

/** Its operating system and hardware. */
function systemOf(facts: JsonObject): string | null {
  const system = [textFact(facts, "distribution"), textFact(facts, "distribution_version")].join(" ");
  const product = textFact(facts, "product_name");
  const parts = [system.trim(), product === "NA" ? "" : product.trim()];
  return clip(parts.filter((text) => text !== "").join(", "), 200);
}

/** Values by which firmware says that nobody has set one. */
const UNSET =
  /^(?:na|n\/a|none|unknown|default string|system (?:product name|manufacturer|serial number)|to be filled by o\.e\.m\.?|0+|not specified|not applicable|oem)$/i;

/** What the machine says of itself. */
function saysOf(facts: JsonObject): SaysOfHost {
  const text = (name: string): string | null => {
    const value = clip(textFact(facts, name), LONGEST_TEXT);
    return value === null || UNSET.test(value) ? null : value;
  };
  const name = text("distribution") ?? text("os_name");
  return {
    os: name === null ? null : { name, version: text("distribution_version"), cpe: null, accuracy: null },
    vendor: text("system_vendor"),
    model: text("product_name"),
    serial: text("product_serial"),
    machine_id: text("machine_id"),
  };
}

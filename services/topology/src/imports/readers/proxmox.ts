import { type Coverage, COVERS_NOTHING } from "../coverage.rules.js";
import type { SaysOfHost } from "../observations.rules.js";
import { MOST_SIGHTINGS, type Scan, type SeenAddress, type Skipped } from "../scan.rules.js";
import type { SeenVirtualization } from "../virtualization.rules.js";
import { behindBridge, isOfBridge } from "./bridges.js";
import { documentsIn } from "./documents.js";
import { isObject, type JsonObject, textAt } from "./json.js";
import { kept } from "./kept.js";
import { faultAt } from "./lines.js";
import { type Config, configIn, type Link, linksIn } from "./proxmox-values.js";
import type { Reader } from "./reader.js";
import { createSightings, type Sightings } from "./sightings.js";
import { addressIn, cardOf, clip, hostnameIn, isLoopback, macIn, reasonAgainst, toolInfo } from "./texts.js";

// Concatenated Proxmox VE JSON: cluster resources and status, guest configurations and guest interfaces. Names, MAC
// addresses and IP addresses are in different responses, and only together describe hosts.

const MOST_LISTED = 20_000;
/** Characters that are kept. */
const LONGEST_NAME = 100;
/** Maximum listed covered addresses. */
const MOST_REPORTED = 100;

interface Listed {
  readonly line: number;
  readonly kind: string;
  readonly name: string;
  readonly isUp: boolean;
  /** The node on which a guest runs; empty for nodes. */
  readonly node: string;
  readonly id: number | null;
}

interface Cluster {
  readonly listed: Listed[];
  readonly configs: (Config & { readonly line: number })[];
  readonly guests: { readonly line: number; readonly links: readonly Link[] }[];
  /** Addresses of stopped guests. */
  readonly absent: SeenAddress[];
  /** Names of guests that were added, or skipped for another reason. */
  readonly reported: Set<string>;
}

export const proxmox: Reader = { format: "proxmox", looksLike, read: readCluster };

function looksLike(beginning: string): boolean {
  if (!/^[[{]/.test(beginning)) return false;
  return (
    /"id"\s*:\s*"(?:qemu|lxc|node|storage|sdn|pool|cluster)["/]/.test(beginning) ||
    /"(?:digest"\s*:\s*"[\da-f]{40}"|hardware-address"\s*:)/.test(beginning) ||
    (/"hwaddr"\s*:/.test(beginning) && /"inet6?"\s*:/.test(beginning))
  );
}

function readCluster(bytes: Iterable<Uint8Array>): Scan {
  const sightings = createSightings();
  const cluster: Cluster = { listed: [], configs: [], guests: [], absent: [], reported: new Set() };
  for (const { line, value } of documentsIn(bytes)) {
    // The HTTP API nests responses in `data`.
    const response = isObject(value) && "data" in value ? value["data"] : value;
    if (!takeResponse(cluster, sightings, line, response))
      throw faultAt(line, "must be the JSON output of `pvesh get`");
  }
  const cards = cardsOf(cluster.configs);
  const down = downIn(cluster.listed);
  const guests = guestsIn(cluster.listed);
  const systems = new Map(cluster.configs.map(({ name, system }) => [name, system]));
  for (const config of cluster.configs)
    takeConfig(sightings, config, { cards, down, guests, reported: cluster.reported, absent: cluster.absent });
  for (const guest of cluster.guests) takeGuest(sightings, cluster, guest, { cards, guests, systems });
  takeCards(sightings, cluster, { cards, guests });
  for (const one of cluster.listed) skipListed(sightings.skipped, one, cluster.reported);
  return sightings.scan(toolInfo("Proxmox VE"), coverageOf(cluster));
}

/** @returns false for unknown responses */
function takeResponse(cluster: Cluster, sightings: Sightings, line: number, response: unknown): boolean {
  const links = linksIn(response);
  const config = configIn(response);
  if (links !== null) cluster.guests.push({ line, links });
  else if (config !== null) {
    const written = { skipped: sightings.skipped, line, what: "name of a guest" };
    cluster.configs.push({ ...config, name: kept(config.name, LONGEST_NAME, written) ?? "", line });
  } else if (Array.isArray(response))
    return response.every((entry, index) => takeListed(cluster, sightings, index + 1, entry));
  else return false;
  return true;
}

/** An entry of the resource list, or of the cluster status, which has node addresses. */
function takeListed({ listed, reported }: Cluster, { add, skipped }: Sightings, line: number, entry: unknown): boolean {
  const kind = isObject(entry) ? textAt(entry, "type") : "";
  if (!isObject(entry) || kind === "") return false;
  if (listed.length === MOST_LISTED) throw faultAt(line, `an import reads at most ${MOST_LISTED} resources`);
  const called = textAt(entry, "name") || textAt(entry, kind === "node" ? "node" : "id");
  const name = kept(called, LONGEST_NAME, { skipped, line, what: `name of ${kind.slice(0, 20)}` }) ?? "";
  const ip = kind === "node" ? addressIn(textAt(entry, "ip")) : null;
  if (ip !== null && faultOf(ip, "") === null) {
    reported.add(name);
    add(
      { line, addresses: [{ ip, mac: null }], hostname: hostnameIn(name), vendor: "Proxmox VE", ports: [] },
      `node ${name}`,
    );
  } else if (kind === "qemu" || kind === "lxc" || kind === "node")
    listed.push({
      line,
      kind,
      name,
      isUp: isUp(entry),
      node: kind === "node" ? "" : (clip(textAt(entry, "node"), LONGEST_NAME) ?? ""),
      id: typeof entry["vmid"] === "number" ? entry["vmid"] : null,
    });
  else skipped.add(line, `${kind.slice(0, 20)} ${name}`, "it is not a machine");
  return true;
}

function isUp(entry: JsonObject): boolean {
  const state = textAt(entry, "status");
  return entry["template"] !== 1 && (state === "" || state === "running" || state === "online");
}

/** Addresses of stopped guests are unused, unless the file has them at another guest. */
function coverageOf({ absent }: Cluster): Coverage {
  const reported = { addresses: absent.slice(0, MOST_REPORTED).map(({ ip }) => ip), ports: [] };
  return { ...COVERS_NOTHING, absent, reported };
}

/** Names of guests that are all stopped. */
function downIn(listed: readonly Listed[]): ReadonlySet<string> {
  const guests = listed.filter(({ kind }) => kind !== "node");
  const up = new Set(guests.filter(({ isUp }) => isUp).map(({ name }) => name));
  return new Set(guests.map(({ name }) => name).filter((name) => !up.has(name)));
}

/** What the configuration of a guest says of its operating system. */
function systemOf(name: string | null): SaysOfHost["os"] {
  return name === null ? null : { name, version: null, cpe: null, accuracy: null };
}

/** What guests run on, by name; null for a name that several have. */
type Guests = ReadonlyMap<string, SeenVirtualization | null>;

function guestsIn(listed: readonly Listed[]): Guests {
  const guests = new Map<string, SeenVirtualization | null>();
  for (const { kind, name, node, id } of listed)
    if (node !== "") {
      const details = { node, kind, ...(id !== null && { guest: id }) };
      guests.set(name, guests.has(name) ? null : { type: "Proxmox VE", runner: node, details });
    }
  return guests;
}

/** The guest name of a MAC address; empty if several guests share it. */
function cardsOf(configs: readonly Config[]): ReadonlyMap<string, string> {
  const cards = new Map<string, string>();
  for (const { name, cards: own } of configs)
    for (const { mac } of own) if (mac !== null) cards.set(mac, cards.has(mac) && cards.get(mac) !== name ? "" : name);
  return cards;
}

/** Adds the addresses configured for a guest. */
function takeConfig(
  { add, skipped }: Sightings,
  { line, name, isTemplate, system, cards: own }: Config & { readonly line: number },
  {
    cards,
    down,
    guests,
    reported,
    absent,
  }: Pick<Cluster, "reported" | "absent"> & {
    cards: ReadonlyMap<string, string>;
    down: ReadonlySet<string>;
    guests: Guests;
  },
): void {
  const what = `guest ${name === "" ? "without a name" : name}`;
  const addresses = own.flatMap(({ mac, ips }) => ips.map((ip) => seenAt(ip, mac, cards)));
  if (isTemplate || down.has(name)) {
    reported.add(name);
    if (!isTemplate && absent.length < MOST_SIGHTINGS) absent.push(...addresses);
    skipped.add(line, what, isTemplate ? "it is a template" : "it is not running");
  } else if (addresses.length > 0) {
    reported.add(name);
    const virtualization = guests.get(name) ?? null;
    const says = { os: systemOf(system) };
    add({ line, addresses, hostname: hostnameIn(name), vendor: null, says, virtualization, ports: [] }, what);
  }
}

/** Adds guests whose addresses are in no response, which are known by their network cards, if at all. */
function takeCards(
  { add }: Sightings,
  { configs, reported }: Cluster,
  { cards, guests }: { cards: ReadonlyMap<string, string>; guests: Guests },
): void {
  for (const { line, name, system, cards: own } of configs.filter(
    (one) => one.name !== "" && !reported.has(one.name),
  )) {
    const macs = own.flatMap(({ mac }) => (mac !== null && cards.get(mac) === name ? (cardOf(mac, "").mac ?? []) : []));
    if (macs.length === 0) continue;
    const known = { addresses: [], cards: macs, isOnlyKnown: true, hostname: hostnameIn(name) };
    const virtualization = guests.get(name) ?? null;
    add({ line, ...known, vendor: null, says: { os: systemOf(system) }, virtualization, ports: [] }, `guest ${name}`);
  }
}

/** Adds what a guest reports about itself. */
function takeGuest(
  { add, skipped }: Sightings,
  { reported }: Cluster,
  { line, links }: { readonly line: number; readonly links: readonly Link[] },
  {
    cards,
    guests,
    systems,
  }: { cards: ReadonlyMap<string, string>; guests: Guests; systems: ReadonlyMap<string, string | null> },
): void {
  const name = links.map(({ mac }) => cards.get(macIn(mac) ?? "") ?? "").find((text) => text !== "") ?? "";
  const what = `guest ${name === "" ? "without a name" : name}`;
  const addresses: SeenAddress[] = [];
  for (const link of links)
    for (const text of link.addresses) {
      const ip = addressIn(text.split("/", 1)[0] ?? "");
      if (ip === null || isLoopback(ip)) continue;
      const fault = faultOf(ip, link.name);
      if (fault === null) addresses.push(seenAt(ip, macIn(link.mac), cards));
      else skipped.add(line, `address ${ip} of ${what}`, fault);
    }
  if (name !== "") reported.add(name);
  if (addresses.length === 0) skipped.add(line, what, "it has no address that other machines can reach");
  else {
    const says = { os: systemOf(systems.get(name) ?? null) };
    const virtualization = guests.get(name) ?? null;
    const hostname = name === "" ? null : hostnameIn(name);
    add({ line, addresses, hostname, vendor: null, says, virtualization, ports: [] }, what);
  }
}

/** MAC addresses shared by several guests identify none. */
function seenAt(ip: string, mac: string | null, cards: ReadonlyMap<string, string>): SeenAddress {
  const isShared = mac !== null && cards.get(mac) === "";
  return { ip, mac: isShared ? null : cardOf(mac, ip).mac };
}

function faultOf(ip: string, link: string): string | null {
  return isOfBridge(link) ? behindBridge(link) : reasonAgainst(ip);
}

/** Skips guests without addresses, naming the response that would have them. */
function skipListed(skipped: Skipped, { line, kind, name, isUp }: Listed, reported: ReadonlySet<string>): void {
  if (reported.has(name)) return;
  const source =
    { node: "/cluster/status", lxc: "its configuration or its interfaces" }[kind] ?? "the response of its guest agent";
  skipped.add(line, `${kind} ${name}`, isUp ? `the list has no addresses; they are in ${source}` : "it is not running");
}

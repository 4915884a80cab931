import type { WiredDevice, WiredNeighbour } from "../wiring/wiring.rules.js";
import { documentsIn } from "./documents.js";
import { isObject, jsonFault, type JsonObject, memberOf } from "./json.js";
import { type Ability, barePort, hostOfNeighbour, type Introduced, keysOfNeighbour, placesOf } from "./neighbours.js";
import type { Reader } from "./reader.js";
import { createSightings, type Sightings } from "./sightings.js";
import { addressIn, cardOf, clip, macIn, toolInfo } from "./texts.js";

// What lldpd has heard from the neighbours of its machine: `lldpctl -f json0`, in which every value is a list, and `-f json`, in which
// names are keys, and single entries are no lists. The output of `lldpcli -f json0 show chassis` in front of it says which machine
// it is; otherwise the request does.

const MOST_NEIGHBOURS = 10_000;
const LONGEST = 100;

const ABILITIES: ReadonlyMap<string, Ability> = new Map([
  ["bridge", "bridge"],
  ["router", "router"],
  ["wlan", "wlan"],
  ["tel", "phone"],
  ["telephone", "phone"],
]);

export const lldp: Reader = {
  format: "lldp",
  looksLike: (beginning) => /^\{\s*"(?:lldp|local-chassis)"\s*:\s*[[{]/.test(beginning),
  read: (bytes) => {
    const sightings = createSightings();
    let own: Chassis | null = null;
    const heard: Heard[] = [];
    for (const { value, line } of documentsIn(bytes)) {
      if (!isObject(value)) throw jsonFault("$", "must be an object as `lldpctl -f json0` prints it");
      for (const local of entries(memberOf(value, "local-chassis")))
        for (const one of entries(memberOf(local, "chassis"))) own ??= chassisIn(one);
      for (const part of entries(memberOf(value, "lldp")))
        for (const card of entries(memberOf(part, "interface"))) heard.push(...heardIn(card, line));
    }
    take(own, heard.slice(0, MOST_NEIGHBOURS), sightings);
    for (const { line } of heard.slice(MOST_NEIGHBOURS, MOST_NEIGHBOURS + 1))
      sightings.skipped.add(
        line,
        `${heard.length - MOST_NEIGHBOURS} neighbours`,
        `an import reads at most ${MOST_NEIGHBOURS}`,
      );
    return sightings.scan(toolInfo("lldpd"));
  },
};

interface Chassis {
  readonly macs: readonly string[];
  readonly ips: readonly string[];
  readonly name: string;
  readonly description: string;
  readonly abilities: ReadonlySet<Ability>;
}

interface Heard {
  readonly line: number;
  readonly card: string;
  readonly by: "lldp" | "cdp";
  readonly chassis: Chassis;
  readonly portNames: readonly string[];
  readonly portMac: string | null;
}

function take(own: Chassis | null, heard: readonly Heard[], sightings: Sightings): void {
  const host = own === null ? null : hostOfNeighbour({ ...own, line: 1 });
  const machine = own === null ? { macs: [], ips: [], name: null, isNamed: true } : keysOfNeighbour(own);
  const what = own === null ? "the machine" : `machine ${own.name}`;
  if (host !== null) sightings.add(host, what);
  else sightings.add({ line: 1, isNamed: true, addresses: [], hostname: null, vendor: null, ports: [] }, what);
  const places = placesOf(heard.map(({ card }) => card));
  const neighbours: WiredNeighbour[] = [];
  for (const { line, card, by, chassis, portNames, portMac } of heard) {
    const introduced: Introduced = { ...chassis, line };
    const neighbour = hostOfNeighbour(introduced);
    const whom = `neighbour ${chassis.name || (chassis.macs[0] ?? "without a name")} at ${card}`;
    if (neighbour === null) {
      sightings.skipped.add(line, whom, "nothing identifies it");
      continue;
    }
    sightings.add(neighbour, whom);
    neighbours.push({
      line,
      by,
      port: places.get(card) ?? 0,
      machine: keysOfNeighbour(introduced),
      portNames,
      portMac,
    });
  }
  const ports = [...places.keys()].map(barePort);
  const device: WiredDevice = { line: 1, name: what, machine, ports, neighbours, table: null, vlans: [] };
  sightings.wire(device);
}

/** The entries of a list, or the only one; those of `-f json` under their names get these as members. */
function entries(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(entries);
  return isObject(value) ? [value] : [];
}

/** Neighbours at an interface: `{name, chassis, port}`, or `{eth0: {chassis, port}}`. */
function heardIn(card: JsonObject, line: number): Heard[] {
  if (memberOf(card, "chassis") === undefined)
    return Object.entries(card).flatMap(([name, inside]) =>
      entries(inside).flatMap((one) => heardIn({ ...one, name }, line)),
    );
  const name = clip(textIn(memberOf(card, "name")), LONGEST);
  const [chassis] = entries(memberOf(card, "chassis"));
  const [port = {}] = entries(memberOf(card, "port"));
  if (name === null || chassis === undefined) return [];
  const id = idIn(port);
  const description = textIn(memberOf(port, "descr"));
  const isNumber = id.type === "local" && /^\d+$/.test(id.value);
  const names = id.type === "mac" ? [description] : isNumber ? [description, id.value] : [id.value, description];
  const portMac = id.type === "mac" ? macIn(id.value) : null;
  const found = chassisIn(chassis);
  return [
    {
      line,
      card: name,
      by: /cdp/i.test(textIn(memberOf(card, "via"))) ? "cdp" : "lldp",
      chassis: { ...found, macs: [...new Set([...found.macs, ...own(portMac)])] },
      portNames: [...new Set(names.flatMap((text) => clip(text, LONGEST) ?? []))],
      portMac,
    },
  ];
}

function own(mac: string | null): string[] {
  return mac === null ? [] : [cardOf(mac, "").mac].flatMap((one) => one ?? []);
}

/** `{id, name, …}`, or `{sw1: {id, …}}`. */
function chassisIn(chassis: JsonObject): Chassis {
  const [key, inside] = Object.entries(chassis)[0] ?? [];
  if (memberOf(chassis, "id") === undefined && key !== undefined && isObject(inside))
    return chassisIn({ ...inside, name: key });
  const id = idIn(chassis);
  const addresses = [...textsIn(memberOf(chassis, "mgmt-ip")), ...(id.type === "ip" ? [id.value] : [])];
  const abilities = entries(memberOf(chassis, "capability")).flatMap((one) =>
    memberOf(one, "enabled") === true ? (ABILITIES.get(textIn(memberOf(one, "type")).toLowerCase()) ?? []) : [],
  );
  return {
    macs: id.type === "mac" ? own(macIn(id.value)) : [],
    ips: [...new Set(addresses.flatMap((text) => addressIn(text) ?? []))],
    name: textIn(memberOf(chassis, "name")),
    description: textIn(memberOf(chassis, "descr")),
    abilities: new Set(abilities),
  };
}

function idIn(of: JsonObject): { readonly type: string; readonly value: string } {
  const [id = {}] = entries(memberOf(of, "id"));
  return { type: textIn(memberOf(id, "type")), value: textIn(memberOf(id, "value")) };
}

/** A text, or the first of `[{"value": "…"}]`. */
function textIn(value: unknown): string {
  return textsIn(value)[0] ?? "";
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? textsIn(memberOf(value, "value")) : [];
}

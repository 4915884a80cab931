/** Archives of organizations: parsing, generating and comparing. */
import { createHash, randomUUID } from "node:crypto";
import { type ArchiveImport, type Attributes, KIND_NAMES, type KindName } from "@nts/shared/contract";
import { newId as uuidV7 } from "@nts/shared/ids";
import type { ServiceResponse, Caller } from "./topology.js";

export type Entity = Readonly<Record<string, unknown>> & { readonly id: string };

/** A line between the first and the last one. */
export interface EntityLine {
  readonly entity: KindName;
  readonly data: Entity;
}

export interface Archive {
  readonly text: string;
  readonly heading: Readonly<Record<string, unknown>>;
  readonly entities: readonly EntityLine[];
  readonly end: { readonly counts: Readonly<Record<KindName, number>>; readonly sha256: string };
}

export const ARCHIVE_PATH = "/api/v1/organizations/archive";

/** Downloads the archive of a caller. @throws Error when it is rejected or incomplete */
export async function archiveOf(caller: Caller): Promise<Archive> {
  const { status, text } = await caller.raw("get", ARCHIVE_PATH);
  if (status !== 200) throw new Error(`the archive returned ${status}: ${text.slice(0, 500)}`);
  return parsed(text);
}

export function parsed(text: string): Archive {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new Error("the last line is not terminated");
  const first = lines.shift() ?? "";
  const last = lines.pop() ?? "";
  const end = JSON.parse(last) as Archive["end"];
  const sha256 = sumOf(text.slice(0, -last.length - 1));
  if (end.sha256 !== sha256) throw new Error(`the checksum is ${end.sha256} instead of ${sha256}`);
  const entities = lines.map((line) => JSON.parse(line) as EntityLine);
  return { text, heading: JSON.parse(first) as Archive["heading"], entities, end };
}

export function sumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The entities of a kind. */
export function entitiesIn({ entities }: Pick<Archive, "entities">, kind: KindName): Entity[] {
  return entities.filter(({ entity }) => entity === kind).map(({ data }) => data);
}

/** An archive of entities. @param heading members of its first line that differ */
export function archiveText(entities: readonly EntityLine[], heading: object = {}): string {
  const first = {
    archive: "network-topology-service",
    version: 1,
    organization_id: randomUUID(),
    changes_cursor: "0",
    networks: "all",
    ...heading,
  };
  const lines = [first, ...entities.map(({ entity, data }) => ({ entity, data }))];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const counts = Object.fromEntries(
    KIND_NAMES.map((kind) => [kind, entities.filter(({ entity }) => entity === kind).length]),
  );
  return `${text}${JSON.stringify({ end: true, counts, sha256: sumOf(text) })}\n`;
}

/** Sends an archive. @param query such as `?dry_run=true` */
export function sendArchive(caller: Caller, text: string, query = ""): Promise<ServiceResponse<unknown>> {
  return caller.raw("post", ARCHIVE_PATH + query, text, { "content-type": "application/x-ndjson" });
}

/** The result of importing an archive, which must succeed. */
export async function imported(caller: Caller, text: string, query = ""): Promise<ArchiveImport> {
  const response = await sendArchive(caller, text, query);
  if (response.status !== 200)
    throw new Error(`the archive returned ${response.status}: ${response.text.slice(0, 2_000)}`);
  const { data } = response as { data: ArchiveImport };
  if (data.failed.length > 0) throw new Error(`not all was imported: ${JSON.stringify(data.failed.slice(0, 3))}`);
  return data;
}

/** An archive without ids and times of changes: entities by age, and ids numbered by first occurrence. */
export function normalForm({ entities }: Pick<Archive, "entities">): unknown[] {
  const numbers = new Map<string, number>();
  const known = new Set(entities.map(({ data }) => data.id));
  const named = <T>(value: T): T | string => {
    if (typeof value !== "string" || !known.has(value)) return value;
    if (!numbers.has(value)) numbers.set(value, numbers.size);
    return `id ${numbers.get(value)}`;
  };
  const dropped = new Set(["updated_at", "organization_id"]);
  const normal = (value: unknown, isBinding = false): unknown => {
    if (Array.isArray(value)) return value.map((one) => normal(one, isBinding));
    if (typeof value !== "object" || value === null) return named(value);
    const members = Object.entries(value).filter(
      ([name]) => !dropped.has(name) && !(isBinding && /^(id|created_at|service_id|network_id)$/.test(name)),
    );
    return Object.fromEntries(
      members
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, one]) => [named(name), name === "bindings" ? bindingsIn(one) : normal(one, isBinding)]),
    );
  };
  const bindingsIn = (value: unknown): unknown[] =>
    (normal(value, true) as unknown[]).map((one) => JSON.stringify(one)).sort();
  const placeOf = ({ entity, data }: EntityLine): string =>
    `${KIND_NAMES.indexOf(entity)} ${String(data["created_at"])}`;
  const inOrder = [...entities].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  return inOrder.map(({ entity, data }) => ({ entity, data: normal(data) }));
}

/** Every second entity has some. */
function attributesOf(n: number): Attributes {
  return n % 2 === 0 ? {} : { rack: `R${n}`, height: n, spare: true };
}

function said(value: string): { value: string; by: string; since: string } {
  return { value, by: "nmap", since: "2026-01-01T00:00:00.000Z" };
}
const OBSERVED_OF_HOST = { os: null, vendor: said("Synology"), model: null, serial: null, role: said("Nas") };

/** A pseudo-random generator, deterministic for a seed. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Random entities of an organization: a few of each kind, with references between them. */
export function randomEntities(seed: number, maxHosts = 6): EntityLine[] {
  const random = randomOf(seed);
  const lines: EntityLine[] = [];
  let made = Date.parse("2025-01-01T00:00:00.000Z");
  const add = (entity: KindName, data: object): string => {
    const id = uuidV7();
    const at = new Date((made += 1 + random(1_000))).toISOString();
    lines.push({ entity, data: { id, created_at: at, updated_at: at, ...data } });
    return id;
  };
  const some = <T>(most: number, make: (n: number) => T): T[] =>
    Array.from({ length: random(most + 1) }, (_, n) => make(n));
  const one = <T>(list: readonly T[]): T | undefined => list[random(list.length)];
  const tags = some(3, (n) => add("Tag", { name: `tag ${n}`, description: n === 1 ? "ä" : null, color: null }));
  const labels = (): string[] => [
    ...new Set([...(tags.length > 0 ? [one(tags) ?? ""] : []), ...some(2, (n) => `label ${n}`)]),
  ];
  const networks = [...some(2, (n) => n), 9].map((n) =>
    add("Network", { name: `network ${n}`, attributes: attributesOf(n), tags: labels() }),
  );
  const vlans = networks.flatMap((network_id) =>
    some(2, (n) => ({
      network_id,
      id: add("Vlan", { network_id, vid: n + 1, name: `VLAN ${n}`, attributes: attributesOf(n), tags: labels() }),
    })),
  );
  const vlanIn = (network_id: string): string | null =>
    one([null, ...vlans.flatMap((vlan) => (vlan.network_id === network_id ? vlan.id : []))]) ?? null;
  const subnets = networks.flatMap((network_id) =>
    [...some(2, (n) => n + 1), 0].map((n) => ({
      network_id,
      n,
      id: add("Subnet", {
        network_id,
        cidr: `10.${n}.0.0/16`,
        name: `subnet ${n}`,
        description: null,
        subnet_type: one([null, "lan"]),
        vlan_id: vlanIn(network_id),
        source: { type: one(["Manual", "Discovery"]) },
        reserved: n === 0 ? [{ from: "10.0.1.0", to: "10.0.1.9", purpose: "dhcp" }] : [],
        attributes: attributesOf(n),
        tags: labels(),
      }),
    })),
  );
  some(2, (n) =>
    add("View", {
      network_id: one([null, ...networks]),
      name: `view ${n}`,
      layer: one(["l3", "tags"]),
      filters: { search: "", tags: [], categories: [], subnets: [], vlans: [], with_hidden: n === 0 },
      collapsed: subnets.slice(0, 1).map(({ id }) => id),
      positions: {},
      tags: labels(),
    }),
  );
  const hosts: string[] = [];
  const ends: { network_id: string; host_id: string; interface_id: string | null; port: string | null }[] = [];
  for (let n = random(maxHosts + 1); n >= 0; n--) {
    const network_id = one(networks)!;
    const details = random(3) === 0 && hosts.length > 0 ? { host_id: one(hosts), cores: 4 } : { note: "…" };
    const virtualization = random(2) === 0 ? null : { type: "VM", details };
    const host_id = add("Host", {
      network_id,
      name: `host ${n}`,
      hostname: one([null, `h${n}.example`]),
      description: null,
      hidden: random(2) === 0,
      is_known: random(2) === 0,
      source: { type: "Manual" },
      virtualization,
      role: n % 2 === 0 ? null : "Server",
      attributes: attributesOf(n),
      observed: n % 2 === 0 ? null : OBSERVED_OF_HOST,
      tags: labels(),
    });
    hosts.push(host_id);
    const of = { network_id, host_id };
    const near = subnets.filter((subnet) => subnet.network_id === network_id);
    const interfaces = some(3, (position) => {
      const { id: subnet_id, n: block } = one(near)!;
      return add("Interface", {
        ...of,
        subnet_id,
        ip_address: `10.${block}.${n}.${position + 1}`,
        name: one([null, "eth"]),
        mac_address: one([null, `02:00:00:00:${10 + n}:0${position}`]),
        position,
        attributes: attributesOf(position),
        observed: null,
      });
    });
    const ports = some(3, (number) =>
      add("Port", {
        ...of,
        number: 443 + number,
        protocol: one(["Tcp", "Udp"]),
        type: "Custom",
        observed: number % 2 === 0 ? null : { certificate: null, title: said("Photos") },
      }),
    );
    ends.push({ network_id, host_id, interface_id: one(interfaces) ?? null, port: one([null, "eth0"]) ?? null });
    some(3, (position) => {
      const bound = ports.map((port_id) => ({
        type: "Port",
        port_id,
        interface_id: random(2) === 0 ? null : (one(interfaces) ?? null),
      }));
      return add("Service", {
        ...of,
        name: `service ${position}`,
        position,
        service_definition: one(["nginx", "own"]),
        source: { type: "Manual" },
        tags: labels(),
        virtualization: null,
        attributes: attributesOf(position),
        observed: position % 2 === 0 ? null : { product: said("nginx"), version: null, cpe: null, confidence: null },
        bindings: bound,
      });
    });
  }
  ends.slice(1).forEach(({ network_id, ...end }, n) => {
    const { network_id: network, ...other } = ends[n]!;
    const vlan = vlanIn(network_id);
    if (network === network_id)
      add("Link", {
        network_id,
        kind: one(["Ethernet", "Wireless"]),
        ends: [other, end],
        vlan_ids: vlan === null ? [] : [vlan],
        speed_mbps: one([null, 1_000]),
        source: { type: "Manual" },
        tags: labels(),
      });
  });
  return lines;
}

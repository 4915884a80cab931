import type {
  ImportedLink,
  ImportedVlan,
  Interface,
  Link,
  LinkEnd,
  LinkKind,
  SkippedPart,
  Vlan,
} from "@nts/shared/contract";
import { folded } from "@nts/shared/contract/folding.rules";
import { putUnder } from "@nts/shared/groups";
import { endsKey } from "../../values/link-ends.rules.js";
import type { HostFacts } from "./machines.js";
import type { Hub, ResolvedEnd, Wiring, WiredDevice } from "./wiring.rules.js";

// What becomes of resolved links, given those that exist: a link that is there is completed, one that leads elsewhere by now is moved,
// and what people have written stays as it is. Nothing is deleted.

/** Of an import. */
const MOST_LINKS = 20_000;
const LONGEST_NAME = 100;
const LONGEST_PORT = 100;
const MOST_VLANS_OF_LINK = 1_000;
/** Devices keep it for themselves. */
const VLAN_NAME = (vid: number): string => `VLAN ${vid}`;

/** What exists. */
export interface World {
  readonly facts: ReadonlyMap<string, HostFacts>;
  /** All that end at the hosts. */
  readonly links: readonly Link[];
  readonly interfaces: readonly Pick<Interface, "id" | "host_id" | "name" | "mac_address">[];
  /** All of the network. */
  readonly vlans: readonly Pick<Vlan, "id" | "vid" | "name">[];
  readonly newId: () => string;
}

/** An unmanaged switch that is created with its links. */
export interface NewHub {
  readonly id: string;
  readonly name: string;
  readonly line: number;
}

export interface PlannedVlan {
  readonly id: string;
  readonly vid: number;
  readonly name: string;
  readonly isNew: boolean;
}

/** A link in its next state. */
export interface PlannedLink {
  readonly line: number;
  readonly action: "create" | "update" | "unchanged";
  readonly id: string;
  readonly kind: LinkKind;
  readonly ends: readonly [LinkEnd, LinkEnd];
  readonly speed_mbps: number | null;
  readonly vlan_ids: readonly string[];
  /** New unmanaged switches at its ends. */
  readonly hubs: readonly NewHub[];
}

export interface PlannedWiring {
  readonly vlans: readonly PlannedVlan[];
  /** Those with a new unmanaged switch follow each other. */
  readonly links: readonly PlannedLink[];
  readonly skipped: readonly SkippedPart[];
}

interface Candidate {
  readonly line: number;
  readonly kind: LinkKind;
  readonly ends: readonly [LinkEnd, LinkEnd];
  readonly speedMbps: number | null;
  readonly vids: readonly number[];
  readonly hubs: readonly NewHub[];
}

export function planWiring(wiring: Wiring, devices: readonly WiredDevice[], world: World): PlannedWiring {
  const skipped: SkippedPart[] = [...wiring.unclear];
  const vlans = planVlans(wiring, devices, world);
  const all = candidatesIn(wiring, world);
  for (const { line } of all.slice(MOST_LINKS, MOST_LINKS + 1))
    skipped.push({
      line,
      what: `${all.length - MOST_LINKS} links`,
      reason: `an import takes at most ${MOST_LINKS} links`,
    });
  const vlanIds = new Map(vlans.map(({ vid, id }) => [vid, id]));
  return { vlans, links: planLinks(all.slice(0, MOST_LINKS), { world, vlanIds, skipped }), skipped };
}

/** The VLANs that devices name, and those of links. */
function planVlans(wiring: Wiring, devices: readonly WiredDevice[], { vlans, newId }: World): PlannedVlan[] {
  const there = new Map(vlans.map((vlan) => [vlan.vid, vlan]));
  const named = new Map<number, string | null>();
  for (const { vlans: ofDevice } of devices)
    for (const { vid, name } of ofDevice) named.set(vid, named.get(vid) ?? name);
  for (const { vids } of [...wiring.links, ...wiring.hubs])
    for (const vid of vids) if (!named.has(vid)) named.set(vid, null);
  return [...named]
    .sort(([a], [b]) => a - b)
    .map(([vid, name]) => {
      const known = there.get(vid);
      if (known !== undefined) return { id: known.id, vid, name: known.name, isNew: false };
      return { id: newId(), vid, name: (name ?? VLAN_NAME(vid)).slice(0, LONGEST_NAME), isNew: true };
    });
}

function candidatesIn({ links, hubs }: Wiring, world: World): Candidate[] {
  const endOf = endsWith(world);
  const hubAt = hubsAt(world);
  return [
    ...links.map(({ line, kind, ends: [one, other], speedMbps, vids }): Candidate => ({
      ...{ line, kind, ends: [endOf(one), endOf(other)], speedMbps, vids, hubs: [] },
    })),
    ...hubs.flatMap((hub) => linksOfHub(hub, world, { endOf, hubAt })),
  ];
}

/** An end, with the interface of the host if its MAC address or name tells it. */
function endsWith({ interfaces }: World): (end: ResolvedEnd) => LinkEnd {
  const byName = new Map<string, string | null>();
  const byMac = new Map<string, string | null>();
  const add = (some: Map<string, string | null>, key: string, id: string): void =>
    void some.set(key, some.has(key) ? null : id);
  for (const { id, host_id, name, mac_address } of interfaces) {
    if (name !== null) add(byName, `${host_id} ${folded(name)}`, id);
    if (mac_address !== null) add(byMac, `${host_id} ${mac_address}`, id);
  }
  return ({ machine, port, mac }) => {
    const named = port === null ? null : (byName.get(`${machine} ${folded(port)}`) ?? null);
    const id = named ?? (mac === null ? null : (byMac.get(`${machine} ${mac}`) ?? null));
    return { host_id: machine, interface_id: id, port: port?.slice(0, LONGEST_PORT) ?? null };
  };
}

/** The unmanaged switches that are known, by the ports that they are linked to. */
function hubsAt({ facts, links }: World): (end: LinkEnd) => string | undefined {
  const byPlace = new Map<string, string>();
  const add = (at: LinkEnd | undefined, other: LinkEnd | undefined): void => {
    const place = (at?.port ?? null) === null ? null : placeOf(at as LinkEnd);
    if (place === null || other === undefined || facts.get(other.host_id)?.isUnmanaged !== true) return;
    if (!byPlace.has(place)) byPlace.set(place, other.host_id);
  };
  for (const { ends } of links) {
    add(ends[0], ends[1]);
    add(ends[1], ends[0]);
  }
  return (end) => (end.port === null ? undefined : byPlace.get(placeOf(end) ?? ""));
}

interface AtHub {
  readonly endOf: (end: ResolvedEnd) => LinkEnd;
  readonly hubAt: (end: LinkEnd) => string | undefined;
}

/** The links of an unmanaged switch: the one that is known at the port, or a new one. */
function linksOfHub(hub: Hub, { facts, newId }: World, { endOf, hubAt }: AtHub): Candidate[] {
  const { at, line, members, speedMbps, vids } = hub;
  const upper = endOf(at);
  const known = hubAt(upper);
  const name = `Unmanaged switch or access point at ${facts.get(at.machine)?.name ?? ""} ${at.port ?? ""}`.trim();
  const made: NewHub = { id: newId(), name: [...name].slice(0, LONGEST_NAME).join(""), line };
  const own: LinkEnd = { host_id: known ?? made.id, interface_id: null, port: null };
  const hubs = known === undefined ? [made] : [];
  const kind = "Ethernet";
  return [
    { line, kind, ends: [upper, own], speedMbps, vids, hubs },
    ...members.map((member): Candidate => ({
      ...{ line, kind, ends: [endOf(member), own], speedMbps: null, vids: [], hubs },
    })),
  ];
}

/** What an end is known by, besides its host; null if nothing tells it from the others. */
function placeOf({ host_id, interface_id, port }: LinkEnd): string | null {
  if (port !== null) return `${host_id} port ${folded(port)}`;
  return interface_id === null ? null : `${host_id} interface ${interface_id}`;
}

interface Planning {
  readonly world: World;
  readonly vlanIds: ReadonlyMap<number, string>;
  readonly skipped: SkippedPart[];
}

function planLinks(candidates: readonly Candidate[], { world, vlanIds, skipped }: Planning): PlannedLink[] {
  const there = createThere(world.links);
  const matches = new Map<Candidate, Link>();
  // Those that are there first, so that none of them is moved.
  for (const candidate of candidates) {
    const link = there.same(candidate);
    if (link !== null) matches.set(candidate, link);
  }
  const planned: PlannedLink[] = [];
  for (const candidate of candidates) {
    const same = matches.get(candidate);
    const moved = same === undefined ? there.elsewhere(candidate) : null;
    if (moved?.source.type === "Manual") {
      skipped.push({
        line: candidate.line,
        what: `link ${textOf(candidate.ends, world)}`,
        reason: `people have written that ${textOf(moved.ends, world)}, which stays`,
      });
      continue;
    }
    if (moved !== null) there.take(moved);
    const ids = candidate.vids.flatMap((vid) => vlanIds.get(vid) ?? []).slice(0, MOST_VLANS_OF_LINK);
    planned.push(plannedLink(candidate, same ?? moved, { ids, newId: world.newId, isMoved: moved !== null }));
  }
  return planned;
}

function createThere(links: readonly Link[]) {
  const byKey = new Map(links.map((link) => [endsKey(link.ends), link]));
  const byHosts = new Map<string, Link[]>();
  const byPlace = new Map<string, Link[]>();
  for (const link of links) {
    putUnder(byHosts, hostsKey(link.ends), link);
    for (const end of link.ends) {
      const place = placeOf(end);
      if (place !== null) putUnder(byPlace, place, link);
    }
  }
  const taken = new Set<string>();
  const isFree = ({ id }: Link): boolean => !taken.has(id);
  return {
    take: ({ id }: Link): void => void taken.add(id),
    /** The link that it is, which is taken. */
    same: ({ ends }: Candidate): Link | null => {
      const exact = byKey.get(endsKey(ends));
      const alike = (byHosts.get(hostsKey(ends)) ?? []).filter((link) => isFree(link) && areAlike(link.ends, ends));
      const found = exact !== undefined && isFree(exact) ? exact : alike.length === 1 ? (alike[0] ?? null) : null;
      if (found !== null) taken.add(found.id);
      return found;
    },
    /** A link at one of the ports that leads elsewhere. */
    elsewhere: ({ ends }: Candidate): Link | null => {
      const found = ends.flatMap((end) => (byPlace.get(placeOf(end) ?? "") ?? []).filter(isFree));
      return found.find(({ source }) => source.type === "Manual") ?? found[0] ?? null;
    },
  };
}

function hostsKey(ends: readonly LinkEnd[]): string {
  return ends
    .map(({ host_id }) => host_id)
    .sort()
    .join(" ");
}

/** Whether two links between the same hosts may be one: their ports are equal, as far as both are known. */
function areAlike(ends: readonly LinkEnd[], others: readonly LinkEnd[]): boolean {
  return ends.every((end) => {
    const other = others.find(({ host_id }) => host_id === end.host_id);
    if (other === undefined) return false;
    if (end.port !== null && other.port !== null) return folded(end.port) === folded(other.port);
    return end.interface_id === null || other.interface_id === null || end.interface_id === other.interface_id;
  });
}

function plannedLink(
  { line, kind, ends, speedMbps, vids, hubs }: Candidate,
  known: Link | null,
  { ids, newId, isMoved }: { readonly ids: readonly string[]; readonly newId: () => string; readonly isMoved: boolean },
): PlannedLink {
  if (known === null)
    return { line, action: "create", id: newId(), kind, ends, speed_mbps: speedMbps, vlan_ids: ids, hubs };
  const { id, source, speed_mbps, vlan_ids } = known;
  const before = known.ends as unknown as readonly [LinkEnd, LinkEnd];
  const asBefore = { line, id, kind: known.kind, hubs };
  if (source.type === "Manual") return { ...asBefore, action: "unchanged", ends: before, speed_mbps, vlan_ids };
  const next = {
    ends: isMoved ? ends : [completed(before[0], ends), completed(before[1], ends)],
    speed_mbps: speedMbps ?? speed_mbps,
    vlan_ids: vids.length > 0 ? ids : vlan_ids,
  } as const;
  const isSame = JSON.stringify(next) === JSON.stringify({ ends: before, speed_mbps, vlan_ids });
  return { ...asBefore, action: isSame ? "unchanged" : "update", ...next, ends: next.ends as [LinkEnd, LinkEnd] };
}

/** An end with what was not known of it. */
function completed(end: LinkEnd, ends: readonly LinkEnd[]): LinkEnd {
  const found = ends.find(({ host_id }) => host_id === end.host_id) ?? end;
  return { host_id: end.host_id, interface_id: end.interface_id ?? found.interface_id, port: end.port ?? found.port };
}

function textOf(ends: readonly LinkEnd[], { facts }: World): string {
  return ends.map(({ host_id, port }) => `${facts.get(host_id)?.name ?? "a host"} ${port ?? ""}`.trim()).join(" – ");
}

/** As reported. @param isDry what is new has no id yet */
export function importedLink(
  { line, action, id, kind, ends, hubs }: PlannedLink,
  {
    facts,
    isDry,
    error,
  }: { readonly facts: ReadonlyMap<string, HostFacts>; readonly isDry: boolean; readonly error: ImportedLink["error"] },
): ImportedLink {
  const isNew = action === "create" && (isDry || error !== null);
  return {
    line,
    action: error === null ? action : "failed",
    id: isNew ? null : id,
    kind,
    ends: ends.map(({ host_id, interface_id, port }) => {
      const hub = hubs.find((one) => one.id === host_id);
      const isUnwritten = isDry && !UUID.test(host_id);
      return {
        host_id: isUnwritten || (hub !== undefined && isNew) ? null : host_id,
        host_name: hub?.name ?? facts.get(host_id)?.name ?? "",
        interface_id: interface_id !== null && UUID.test(interface_id) ? interface_id : null,
        port,
        is_new_switch: hub !== undefined,
      };
    }),
    error,
  };
}

const UUID = /^[0-9a-f]{8}-/;

export function importedVlan({ id, vid, name, isNew }: PlannedVlan, isDry: boolean): ImportedVlan {
  return { action: isNew ? "create" : "existing", id: isNew && isDry ? null : id, vid, name };
}

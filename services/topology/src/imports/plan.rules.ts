import { putUnder } from "@nts/shared/groups";
import type { Evidence, HostRecord, ImportedChange, Interface, Port, SkippedPart } from "@nts/shared/contract";
import { marksOf } from "@nts/shared/contract/marks.rules";
import { isWrittenByHand } from "@nts/shared/contract/import-formats";
import { portType } from "../values/well-known-ports.rules.js";
import type { NewHost } from "../hosts/new-host.js";
import { nextMacAddress } from "../hosts/mac-address.rules.js";
import { withMissing } from "../hosts/missing.rules.js";
import type { Stored } from "../storage/entities.js";
import type { KnownHost } from "../storage/stores/hosts.js";
import { compareNames } from "../values/host-names.rules.js";
import { isSynthetic } from "../values/synthetic-names.rules.js";
import type { Makers } from "./makers.rules.js";
import { evidenceFor } from "./evidence.rules.js";
import { MOST_TAGS } from "@nts/shared/contract/sizes";
import type { Doubt } from "./marks.rules.js";
import type { KnownInterface, Match, MatchedBy } from "./match.rules.js";
import { agree, isOtherName } from "./merge.rules.js";
import {
  changesOfObserved,
  hostTold,
  interfaceTold,
  outdoneBy,
  portTold,
  type SaysOfPort,
} from "./observations.rules.js";
import { planServices, type PlannedService } from "./plan-services.rules.js";
import { roleOf } from "./roles.rules.js";
import { virtualizationText, virtualizationTold } from "./virtualization.rules.js";
import {
  MOST_INTERFACES_OF_HOST,
  MOST_PLACES_OF_HOST,
  MOST_PORTS_OF_HOST,
  placeText,
  portText,
  type SeenHost,
  type SeenPort,
} from "./scan.rules.js";

// Plans the import of one host. Imports only add: nothing is removed or overwritten, except an unknown hostname or MAC
// address, and addresses seen at another machine.
//
// Members are written before a spread rather than behind it: in Node.js 20 that is twenty times as quick, and leaves no garbage.

/** The subnet of an address; its id is null until it is created. */
export interface SubnetPlace {
  readonly id: string | null;
  readonly cidr: string;
}

/** A child in its target state; `before` is null for a new one. */
export interface Planned<T> {
  readonly action: "create" | "update" | "unchanged";
  readonly before: Stored<T> | null;
  readonly entity: T;
}

export interface PlannedInterface extends Planned<Interface> {
  readonly cidr: string;
}

export interface PlannedHost extends Planned<HostRecord> {
  readonly line: number;
  readonly matchedBy: MatchedBy | null;
  readonly evidence: readonly Evidence[];
  /** Only those seen by the scan. */
  readonly interfaces: readonly PlannedInterface[];
  readonly ports: readonly Planned<Port>[];
  readonly services: readonly PlannedService[];
  readonly changes: readonly ImportedChange[];
  /** Skipped parts of the host. */
  readonly skipped: readonly SkippedPart[];
  /** Interfaces of other hosts that lose their address to this one. */
  readonly superseded: readonly KnownInterface[];
  /** The duplicate host merged into this one; null if there is none. */
  readonly joins: string | null;
}

export interface Planning {
  readonly networkId: string;
  readonly now: string;
  /** The format of the file. */
  readonly by: string;
  readonly newId: () => string;
  readonly make: Makers;
  readonly placeOf: (ip: string) => SubnetPlace;
  readonly cidrOf: (subnetId: string) => string | undefined;
  /** The host with a name, on which others run; null if it is unknown, or several have the name. */
  readonly runnerOf: (name: string) => string | null;
  /** To whom a MAC address is assigned; null if nobody is named. */
  readonly vendorOf: (mac: string) => string | null;
  /** The host that had a name before the import; null if there is none, or several. */
  readonly namesakeOf: (name: string) => string | null;
  /** What a host is tagged with by a name: the id of a managed tag, or the name as a label. */
  readonly tagOf: (name: string) => string;
  readonly superseded: readonly KnownInterface[];
  /** Interfaces of this host that lose their address to another one. */
  readonly lost: ReadonlySet<string>;
  /** What speaks for other hosts. */
  readonly doubts: readonly Doubt[];
}

/** Collects the skipped parts of a host. */
export type Skip = (line: number, what: string, reason: string) => void;

/** An existing host, and how it was recognized. */
export interface Recognized extends KnownHost, Pick<Match, "by" | "joins" | "value"> {}

export function recognizedAs(host: KnownHost, { by, joins, value }: Match): Recognized {
  return { ...host, by, ...(joins !== undefined && { joins }), ...(value !== undefined && { value }) };
}

/**
 * Plans a sighted host.
 *
 * @param known the existing host; null if it is new
 * @throws AppError `binding_conflict` if existing bindings conflict
 */
export function planHost(seen: SeenHost, known: Recognized | null, planning: Planning): PlannedHost {
  const skipped: SkippedPart[] = [];
  const skip: Skip = (line, what, reason) => void skipped.push({ line, what, reason });
  const bare = hostOf(seen, known, planning, skip);
  for (const { what, reason } of planning.doubts) skip(seen.line, what, reason);
  const owned = {
    created_at: planning.now,
    updated_at: planning.now,
    host_id: bare.entity.id,
    network_id: planning.networkId,
  };
  const on = { known, owned, planning, skip };
  const interfaces = planInterfaces(seen, on);
  const seenPorts = portsWithin(seen, skip);
  const ports = planPorts(seenPorts, on);
  const services = planServices(seenPorts, { interfaces, ports, workloads: seen.workloads ?? [], ...on });
  const outdone = outdoneBy(bare.entity.observed, seen.says ?? {}, { by: planning.by, since: planning.now });
  if (outdone !== null) skip(seen.line, `operating system ${seen.says?.os?.name ?? ""}`, outdone);
  const host = withObserved(bare, seen, { known, ports, services, planning });
  if (known !== null) noteReplaced(known.host.entity, host.entity, (what, reason) => skip(seen.line, what, reason));
  const changes =
    known === null ? [] : changesOf(known, { host: host.entity, interfaces, ports, services }, seen, planning.tagOf);
  const { superseded } = planning;
  const isTouched =
    superseded.length > 0 || [...interfaces, ...ports, ...services].some(({ action }) => action !== "unchanged");
  return {
    action: host.action === "unchanged" && isTouched ? "update" : host.action,
    before: host.before,
    entity: host.entity,
    line: seen.line,
    matchedBy: known?.by ?? null,
    evidence: known === null ? [] : evidenceFor(seen, known, known),
    interfaces,
    ports,
    services,
    changes,
    skipped,
    superseded,
    joins: known?.joins ?? null,
  };
}

/** The changed members of an existing host and what is on it, as texts. */
function changesOf(
  known: Recognized,
  {
    host,
    interfaces,
    ports,
    services,
  }: Pick<PlannedHost, "interfaces" | "ports" | "services"> & { readonly host: HostRecord },
  seen: SeenHost,
  tagOf: Planning["tagOf"],
): ImportedChange[] {
  return [
    ...changesOfHost(known.host.entity, host, seen, tagOf),
    ...interfaces
      .filter(isUpdate)
      .flatMap(({ before, entity }) => [
        ...(before?.entity.mac_address === entity.mac_address
          ? []
          : [{ path: `interfaces.${entity.ip_address}.mac_address`, from: null, to: entity.mac_address ?? "" }]),
        ...changesOfObserved(`interfaces.${entity.ip_address}.`, before?.entity.observed ?? null, entity.observed),
        ...changesOfAttributes(`interfaces.${entity.ip_address}.`, before?.entity ?? null, entity),
      ]),
    ...ports
      .filter(isUpdate)
      .flatMap(({ before, entity }) =>
        changesOfObserved(`ports.${portText(entity)}.`, before?.entity.observed ?? null, entity.observed),
      ),
    ...services
      .filter(isUpdate)
      .flatMap(({ before, entity }) =>
        changesOfObserved(`services.${entity.name}.`, before?.entity.observed ?? null, entity.observed),
      ),
    ...services
      .filter(isUpdate)
      .flatMap(({ before, entity }) => changesOfAttributes(`services.${entity.name}.`, before?.entity ?? null, entity)),
    ...services
      .filter(isUpdate)
      .flatMap(({ before, entity }) =>
        changeOfVirtualization(
          `services.${entity.name}.`,
          before?.entity.virtualization ?? null,
          entity.virtualization,
        ),
      ),
    ...services
      .filter(isUpdate)
      .flatMap(({ entity, added }) =>
        added.map((to) => ({ path: `services.${entity.name}.bindings`, from: null, to })),
      ),
  ];
}

/** The entities of a new host. */
export function newHostOf({ entity, interfaces, ports, services }: PlannedHost): NewHost {
  const entities = <T>(planned: readonly Planned<T>[]): T[] => planned.map((one) => one.entity);
  return { host: entity, interfaces: entities(interfaces), ports: entities(ports), services: entities(services) };
}

/** Common members of a host's children. */
export interface Owned {
  readonly created_at: string;
  readonly updated_at: string;
  readonly host_id: string;
  readonly network_id: string;
}

interface On {
  readonly known: Recognized | null;
  readonly owned: Owned;
  readonly planning: Planning;
  readonly skip: Skip;
}

function hostOf(seen: SeenHost, known: Recognized | null, planning: Planning, skip: Skip): Planned<HostRecord> {
  const { networkId, now, by, newId, make, runnerOf, tagOf, namesakeOf } = planning;
  const { hostname, vendor, role = null, attributes = {} } = seen;
  const tags = (seen.tags ?? []).map(tagOf);
  const runner = seen.virtualization?.runner ?? null;
  const runnerId = runner === null ? null : runnerOf(runner);
  if (runner !== null && runnerId === null)
    skip(seen.line, `host ${runner} of a guest`, "no host has its name, or several have it");
  const virtualization = virtualizationTold(
    known?.host.entity.virtualization ?? null,
    seen.virtualization ?? null,
    runnerId === known?.host.entity.id ? null : runnerId,
  );
  if (known !== null) {
    const { entity } = known.host;
    const isUnnamed = hostname !== null && (entity.hostname === null || isSynthetic(entity.hostname));
    if (!isUnnamed && hostname !== null && compareNames(entity.hostname ?? "", hostname) === "different")
      skip(seen.line, `host name ${hostname}`, `the host is called ${entity.hostname ?? ""} here, which it keeps`);
    const { name = null } = seen;
    const better = isSynthetic(entity.name) ? betterName(seen) : null;
    if (better === null && isOtherName(name, entity.name) && isOtherName(name, entity.hostname ?? ""))
      skip(seen.line, `name ${name ?? ""}`, `the host is called ${entity.name} here, which it keeps`);
    const given = {
      role: entity.role ?? role,
      attributes: withMissing(entity.attributes, attributes),
      tags: withTags(entity.tags, tags, (more) => skip(seen.line, `${more} tags`, `a host has at most ${MOST_TAGS}`)),
      virtualization,
    };
    const isTold =
      given.role !== entity.role ||
      given.tags !== entity.tags ||
      given.attributes !== entity.attributes ||
      given.virtualization !== entity.virtualization;
    if (!isUnnamed && !isTold && better === null) return { action: "unchanged", before: known.host, entity };
    const next = { ...entity, ...given, ...(isUnnamed && { hostname }), ...(better !== null && { name: better }) };
    return { action: "update", before: known.host, entity: next };
  }
  const namesakeId = hostname !== null && seen.addresses.length > 0 ? namesakeOf(hostname) : null;
  if (namesakeId !== null)
    skip(
      seen.line,
      `host name ${hostname ?? ""}`,
      planning.superseded.some(({ host_id }) => host_id === namesakeId)
        ? "the host that had it loses its address to this one, which shows another network card: delete that host if its machine was replaced, or merge the two if they are one machine"
        : "another host has it, at addresses that are not in the file: merge the two if they are one machine",
    );
  const entity = make.host(
    {
      name: nameOf(seen),
      hostname,
      description: vendor,
      is_known: isWrittenByHand(by),
      role,
      attributes: { ...attributes },
      virtualization,
      tags: [...withTags([], tags, (more) => skip(seen.line, `${more} tags`, `a host has at most ${MOST_TAGS}`))],
    },
    { id: newId(), created_at: now, updated_at: now, network_id: networkId, source: { type: "Discovery" } },
  );
  return { action: "create", before: null, entity };
}

/** Says of a host with another serial number than before that its machine may have been replaced. */
function noteReplaced(before: HostRecord, after: HostRecord, note: (what: string, reason: string) => void): void {
  const was = before.observed?.serial ?? null;
  const serial = after.observed?.serial ?? null;
  if (was === null || serial === null || was === serial || was.by !== serial.by || isSameSerial(was, serial)) return;
  note(
    `serial number ${serial.value}`,
    `it was ${was.value} before: if the machine was replaced, this host is the new one, with the history of the old one`,
  );
}

function isSameSerial(one: { readonly value: string }, other: { readonly value: string }): boolean {
  const [mine] = marksOf({ serial: one.value });
  const [theirs] = marksOf({ serial: other.value });
  return mine === undefined || theirs === undefined || mine.key === theirs.key;
}

/** Tags with those that are missing, up to the limit. @param leaveOut is told how many are too many */
function withTags(there: string[], named: readonly string[], leaveOut: (more: number) => void): string[] {
  const missing = [...new Set(named)].filter((tag) => !there.includes(tag));
  const room = Math.max(MOST_TAGS - there.length, 0);
  if (missing.length > room) leaveOut(missing.length - room);
  return missing.length === 0 || room === 0 ? there : [...there, ...missing.slice(0, room)];
}

interface Around {
  readonly known: Recognized | null;
  readonly ports: readonly Planned<Port>[];
  readonly services: readonly PlannedService[];
  readonly planning: Planning;
}

/** The host with what the file says of it, and the role that follows from all that is known. */
function withObserved(
  host: Planned<HostRecord>,
  { says = {} }: SeenHost,
  { known, ports, services, planning }: Around,
): Planned<HostRecord> {
  const { entity, action } = host;
  const saying = { by: planning.by, since: planning.now };
  const told = hostTold(entity.observed, says, null, saying);
  const there = [...(known?.services ?? []), ...services].map((one) => one.entity.service_definition);
  const open = [...(known?.ports ?? []), ...ports].map((one) => one.entity);
  const role = roleOf({
    vendors: [told?.vendor?.value ?? ""],
    os: told?.os === undefined || told.os === null ? null : `${told.os.name} ${says.os?.kind ?? ""}`,
    model: told?.model?.value ?? null,
    services: [...new Set(there)],
    ports: open.flatMap(({ protocol, number }) => (protocol === "Tcp" ? number : [])),
  });
  const observed = hostTold(told, {}, role, saying);
  if (observed === entity.observed) return host;
  return { ...host, action: action === "create" ? "create" : "update", entity: { ...entity, observed } };
}

/** The changed members of a host, as texts. */
function changesOfHost(
  before: HostRecord,
  after: HostRecord,
  { tags = [] }: SeenHost,
  tagOf: Planning["tagOf"],
): ImportedChange[] {
  const nameOfTag = (tag: string): string => tags.find((name) => tagOf(name) === tag) ?? tag;
  return [
    ...(before.name === after.name ? [] : [{ path: "name", from: before.name, to: after.name }]),
    ...(before.hostname === after.hostname
      ? []
      : [{ path: "hostname", from: before.hostname, to: after.hostname ?? "" }]),
    ...(before.role === after.role ? [] : [{ path: "role", from: before.role, to: after.role ?? "" }]),
    ...after.tags
      .filter((tag) => !before.tags.includes(tag))
      .map((tag) => ({ path: "tags", from: null, to: nameOfTag(tag) })),
    ...changesOfAttributes("", before, after),
    ...changeOfVirtualization("", before.virtualization, after.virtualization),
    ...changesOfObserved("", before.observed, after.observed),
  ];
}

/** @param path of the entity, such as `services.nginx.` */
function changesOfAttributes(
  path: string,
  before: Pick<HostRecord, "attributes"> | null,
  { attributes }: Pick<HostRecord, "attributes">,
): ImportedChange[] {
  const keys = Object.keys(attributes).filter((key) => !Object.hasOwn(before?.attributes ?? {}, key));
  return keys.map((key) => ({ path: `${path}attributes.${key}`, from: null, to: String(attributes[key]) }));
}

/** @param path of the entity, such as `services.nginx.` */
function changeOfVirtualization(
  path: string,
  before: HostRecord["virtualization"],
  after: HostRecord["virtualization"],
): ImportedChange[] {
  if (before === after) return [];
  const to = virtualizationText(after) ?? "";
  return [{ path: `${path}virtualization`, from: virtualizationText(before), to }];
}

const NAME_LIMIT = 100;

/** What a machine is displayed as if it has a name of its own. */
function betterName(seen: SeenHost): string | null {
  if ((seen.name ?? seen.hostname) === null) return null;
  const name = nameOf(seen);
  return isSynthetic(name) ? null : name;
}

/** Its given name, else the first label of its hostname, or its first address, or that of its card. */
function nameOf({ name, hostname, addresses, cards = [] }: SeenHost): string {
  if (name !== undefined && name !== null) return name;
  const short = hostname !== null && hostname.length > NAME_LIMIT ? (hostname.split(".", 1)[0] ?? "").trim() : hostname;
  return [...(short === null || short === "" ? (addresses[0]?.ip ?? cards[0] ?? "host") : short)]
    .slice(0, NAME_LIMIT)
    .join("");
}

function planInterfaces(seen: SeenHost, { known, owned, planning, skip }: On): PlannedInterface[] {
  const there = known?.interfaces ?? [];
  const byIp = new Map<string, Stored<Interface>[]>();
  for (const one of there) putUnder(byIp, one.entity.ip_address, one);
  let position = there.length;
  const taken = seen.addresses.slice(0, MOST_INTERFACES_OF_HOST);
  if (taken.length < seen.addresses.length)
    skip(
      seen.line,
      `${seen.addresses.length - taken.length} addresses of ${taken[0]?.ip ?? "a host"}`,
      `an import takes at most ${MOST_INTERFACES_OF_HOST} addresses of a host`,
    );
  const saying = { by: planning.by, since: planning.now };
  // What a bare host that is merged into this one knows of its addresses.
  const ofBare = planning.superseded.filter(({ host_id }) => host_id === known?.joins);
  const macAt = new Map(ofBare.map(({ ip_address, mac_address }) => [ip_address, mac_address]));
  return taken.map(({ ip, mac: shown, vendor = null, attributes: given = {} }): PlannedInterface => {
    const mac = shown ?? macAt.get(ip) ?? null;
    const place = planning.placeOf(ip);
    const assigned = (): string | null => (mac === null ? null : planning.vendorOf(mac));
    const same = byIp.get(ip) ?? [];
    const before = same.find(({ entity }) => entity.subnet_id === place.id) ?? same[0];
    if (before === undefined) {
      const entity = planning.make.interface(
        { name: null, attributes: { ...given } },
        {
          id: planning.newId(),
          ip_address: ip,
          subnet_id: place.id ?? "",
          mac_address: mac,
          position: position++,
          observed: interfaceTold(null, { vendor, assigned }, saying),
          ...owned,
        },
      );
      return { action: "create", before: null, entity, cidr: place.cidr };
    }
    const { entity } = before;
    const cidr = planning.cidrOf(entity.subnet_id) ?? place.cidr;
    if (!agree(entity.mac_address, mac)) {
      skip(seen.line, `MAC address ${mac ?? ""} of ${ip}`, "the interface has another one, which it keeps");
      return { action: "unchanged", before, entity, cidr };
    }
    const mac_address = nextMacAddress(entity.mac_address, mac);
    const observed = interfaceTold(entity.observed, { vendor, assigned }, saying);
    const attributes = withMissing(entity.attributes, given);
    const isLearnt =
      mac_address !== entity.mac_address || observed !== entity.observed || attributes !== entity.attributes;
    return {
      action: isLearnt ? "update" : "unchanged",
      before,
      entity: isLearnt ? { ...entity, mac_address, observed, attributes } : entity,
      cidr,
    };
  });
}

/** The ports of a host within the import's limit, by number. */
function portsWithin({ ports }: SeenHost, skip: Skip): SeenPort[] {
  const ordered = [...ports].sort(
    (a, b) => a.number - b.number || a.protocol.localeCompare(b.protocol) || a.line - b.line,
  );
  const taken = new Set<string>();
  let places = 0;
  return ordered.filter((port) => {
    const isKnown = taken.has(portText(port)) || taken.size < MOST_PORTS_OF_HOST;
    const isTaken = isKnown && places < MOST_PLACES_OF_HOST;
    if (isTaken) {
      taken.add(portText(port));
      places++;
    } else
      skip(
        port.line,
        `port ${portText(port)} of ${placeText(port.ip)}`,
        isKnown
          ? `an import takes at most ${MOST_PLACES_OF_HOST} ports at addresses of a host`
          : `an import takes at most ${MOST_PORTS_OF_HOST} ports of a host`,
      );
    return isTaken;
  });
}

function planPorts(seen: readonly SeenPort[], { known, owned, planning }: On): Planned<Port>[] {
  const there = new Map((known?.ports ?? []).map((port) => [portText(port.entity), port]));
  const planned = new Map<string, Planned<Port>>();
  const saying = { by: planning.by, since: planning.now };
  const saidOf = new Map<string, SaysOfPort>();
  // The first address that says something of a port counts.
  for (const port of seen)
    if (port.says !== undefined) saidOf.set(portText(port), { ...port.says, ...saidOf.get(portText(port)) });
  for (const port of seen) {
    const text = portText(port);
    if (planned.has(text)) continue;
    const before = there.get(text);
    const observed = portTold(before?.entity.observed ?? null, saidOf.get(text) ?? {}, saying);
    if (before !== undefined) {
      const isTold = observed !== before.entity.observed;
      const entity = isTold ? { ...before.entity, observed } : before.entity;
      planned.set(text, { action: isTold ? "update" : "unchanged", before, entity });
    } else {
      const { number, protocol } = port;
      const server = { id: planning.newId(), type: portType(number, protocol), observed, ...owned };
      const entity = planning.make.port({ number, protocol }, server);
      planned.set(text, { action: "create", before: null, entity });
    }
  }
  return [...planned.values()];
}

function isUpdate({ action }: { readonly action: string }): boolean {
  return action === "update";
}

import type { Mark, MarkKind } from "@nts/shared/contract/marks.rules";
import { MARK_KINDS } from "@nts/shared/contract/marks.rules";
import { putUnder } from "@nts/shared/groups";
import type { MarkedHost } from "../storage/stores/host-marks.js";
import { compareNames, hostLabel, isDefaultName } from "../values/host-names.rules.js";
import { isOfVirtualMachine } from "../values/mac-addresses.rules.js";
import type { KnownInterfaces, Match } from "./match.rules.js";
import { agree } from "./merge.rules.js";
import { marksIn } from "./packed-hosts.rules.js";
import type { SeenHost, Skipped } from "./scan.rules.js";

// Recognition by serial numbers, DUIDs and the ids of installations. A serial number is of one machine; the other two are
// copied with images, so that they count less. What machines of different names show is no evidence at all.

/** What a kind is called in plans. */
const NAME_OF: Readonly<Record<MarkKind, string>> = {
  serial: "serial number",
  duid: "DUID",
  machine_id: "machine id",
};
/** Sources of serial numbers of machines; others may speak of parts of them, so that they are compared with themselves only. */
const OF_WHOLE_MACHINES: ReadonlySet<string> = new Set(["csv", "ansible-facts"]);
/** Hosts named with a mark. */
const MOST_NAMED = 5;

/** A host recognized by a mark. */
export interface MarkMatch extends Match {
  readonly by: MarkKind;
  readonly value: string;
  /** Its name is the sighting's, too. */
  readonly isNamedAlike: boolean;
}

/** What the plan says of a mark. */
export interface Doubt {
  readonly what: string;
  readonly reason: string;
}

/** Existing hosts by their marks. */
export interface KnownMarks {
  add(hosts: readonly MarkedHost[]): void;
  /** The only host with a mark of the sighting, unless names, or stronger marks, contradict. */
  find(seen: SeenHost, there: KnownInterfaces): MarkMatch | null;
  /** The host that has its MAC address or address, if it is another machine by its serial number and name. */
  otherAt(seen: SeenHost, match: Match): MarkedHost | null;
  /**
   * What speaks for another host than the one that the sighting is taken for.
   *
   * @param match null if it is new @param place the host with its MAC address or address
   */
  doubts(seen: SeenHost, match: Match | null, place: Match | null): readonly Doubt[];
}

/** @param by the format of the file @param shared marks that identify no machine of the file */
export function createKnownMarks(by: string, shared: ReadonlySet<string>): KnownMarks {
  const byId = new Map<string, MarkedHost>();
  const byKey = new Map<string, MarkedHost[]>();
  const tellingOf = (seen: SeenHost): readonly Mark[] => marksIn(seen).filter(({ key }) => !shared.has(key));

  /** Whether both have serial numbers, and these differ. */
  const isOtherSerial = (marks: readonly Mark[], host: MarkedHost): boolean => {
    const mine = serialIn(marks);
    const theirs = serialIn(host.marks);
    return mine !== null && theirs !== null && mine.key !== theirs.key;
  };

  function isFitting(seen: SeenHost, marks: readonly Mark[], { kind, host, isHere }: Candidate): boolean {
    if (isHere) return kind === "serial" || !isOtherSerial(marks, host);
    const names = namesOf(seen, host);
    if (kind === "serial") return names !== "differ" || !host.hasInterfaces;
    const macs = seen.addresses.flatMap(({ mac }) => mac ?? []);
    if (isOtherSerial(marks, host) || macs.some(isOfVirtualMachine)) return false;
    const isSame = names === "agree" && !isDefaultName(seen.hostname ?? "");
    // A client of IPv6 shows no network card that could differ.
    return isSame || (kind === "duid" && macs.length === 0 && names !== "differ");
  }

  function otherAt(seen: SeenHost, match: Match): MarkedHost | null {
    const host = byId.get(match.hostId);
    if (host === undefined || !isOtherSerial(tellingOf(seen), host)) return null;
    const names = namesOf(seen, host);
    const isComparable =
      host.serialBy === by || (OF_WHOLE_MACHINES.has(by) && OF_WHOLE_MACHINES.has(host.serialBy ?? ""));
    const isOther = names === "differ" || (names === "unknown" && match.by === "ip_address" && isComparable);
    return isOther ? host : null;
  }

  return {
    add: (hosts) => {
      for (const host of hosts) {
        if (byId.has(host.id)) continue;
        byId.set(host.id, host);
        for (const { key } of host.marks) putUnder(byKey, key, host);
      }
    },
    find: (seen, there) => {
      const marks = tellingOf(seen);
      if (marks.length === 0) return null;
      const here = hostsAt(seen, there);
      for (const kind of MARK_KINDS) {
        const mark = marks.find((one) => one.kind === kind);
        if (mark === undefined) continue;
        const fitting = (byKey.get(mark.key) ?? []).filter((host) =>
          isFitting(seen, marks, { kind, host, isHere: here.has(host.id) }),
        );
        const alike = fitting.filter((host) => namesOf(seen, host) === "agree");
        const oldest = oldestOf(alike.length > 0 ? alike : fitting);
        if (oldest !== null) return { hostId: oldest.id, by: kind, value: mark.value, isNamedAlike: alike.length > 0 };
      }
      return null;
    },
    otherAt,
    doubts: (seen, match, place) => {
      const doubts: Doubt[] = [];
      const other = place === null ? null : otherAt(seen, place);
      if (other !== null && other.id !== match?.hostId) {
        const { value } = serialIn(marksIn(seen)) ?? { value: "" };
        const theirs = serialIn(other.marks)?.value ?? "";
        const reason = `${other.name}, which had its ${place?.by === "ip_address" ? "address" : "MAC address"}, has ${theirs}: this is another machine`;
        doubts.push({ what: `serial number ${value}`, reason });
      }
      for (const { kind, key, value } of tellingOf(seen)) {
        const others = (byKey.get(key) ?? []).filter(
          (host) => host.id !== match?.hostId && host.id !== match?.joins && isTold(seen, host, kind, match),
        );
        if (others.length === 0) continue;
        const names = others.slice(0, MOST_NAMED).map(({ name }) => name);
        const advice = kind === "serial" ? "" : ", whose image this machine may be a copy of";
        doubts.push({
          what: `${NAME_OF[kind]} ${value}`,
          reason: `another host has it${advice}: merge the two if they are one machine: ${names.join(", ")}`,
        });
      }
      return doubts;
    },
  };
}

/** The oldest of hosts that may be one machine, by their names; null if there is none, or they are several. */
function oldestOf(hosts: readonly MarkedHost[]): MarkedHost | null {
  const names = hosts.flatMap(({ hostname }) => (hostLabel(hostname) === null ? [] : (hostname ?? [])));
  if (names.some((name) => compareNames(name, names[0] ?? "") === "different")) return null;
  return hosts.reduce<MarkedHost | null>(
    (oldest, host) => (oldest === null || host.id < oldest.id ? host : oldest),
    null,
  );
}

/** Whether the plan says that another host has a mark: what is copied with images, only of new hosts, or with one name. */
function isTold(seen: SeenHost, host: MarkedHost, kind: MarkKind, match: Match | null): boolean {
  if (kind === "serial" || match === null) return true;
  const isOwnName = namesOf(seen, host) === "agree" && !isDefaultName(seen.hostname ?? "");
  return isOwnName && !seen.addresses.some(({ mac }) => mac !== null && isOfVirtualMachine(mac));
}

interface Candidate {
  readonly kind: MarkKind;
  readonly host: MarkedHost;
  /** It has a MAC address or an address of the sighting. */
  readonly isHere: boolean;
}

function serialIn(marks: readonly Mark[]): Mark | null {
  return marks.find(({ kind }) => kind === "serial") ?? null;
}

function namesOf({ hostname }: SeenHost, host: MarkedHost): "agree" | "differ" | "unknown" {
  if (hostLabel(hostname) === null || hostLabel(host.hostname) === null) return "unknown";
  return compareNames(hostname ?? "", host.hostname ?? "") === "different" ? "differ" : "agree";
}

/** Hosts with a MAC address of the sighting, or an address while MAC addresses do not differ. */
function hostsAt({ addresses }: SeenHost, { withIp, withMac }: KnownInterfaces): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { ip, mac } of addresses) {
    for (const { host_id, mac_address } of withIp(ip)) if (agree(mac, mac_address)) found.add(host_id);
    if (mac !== null) for (const { host_id } of withMac(mac)) found.add(host_id);
  }
  return found;
}

/** The marks that several machines of a file show, so that they identify none; each is listed. */
export function sharedMarks(hosts: readonly SeenHost[], skipped: Pick<Skipped, "add">): ReadonlySet<string> {
  const shown = new Map<string, { readonly mark: Mark; readonly hosts: SeenHost[] }>();
  for (const host of hosts)
    for (const mark of marksIn(host)) {
      const one = shown.get(mark.key) ?? { mark, hosts: [] };
      one.hosts.push(host);
      shown.set(mark.key, one);
    }
  const shared = new Set<string>();
  for (const [key, { mark, hosts: some }] of shown) {
    const [first, ...others] = some;
    if (first === undefined || others.length === 0) continue;
    shared.add(key);
    const names = some.slice(0, MOST_NAMED).map((one) => one.hostname ?? one.name ?? one.addresses[0]?.ip ?? "");
    skipped.add(
      first.line,
      `${NAME_OF[mark.kind]} ${mark.value}`,
      `${some.length} machines of the file show it, so that it identifies none: ${names.join(", ")}`,
    );
  }
  return shared;
}

import { isIP } from "node:net";
import type { Document } from "mongodb";
import {
  type AlikeHosts,
  type DuplicateHost,
  type Duplicates,
  type Interface,
  MOST_ALIKE,
  MOST_COMPARED_HOSTS,
  MOST_DUPLICATES,
  type SameMember,
} from "@nts/shared/contract";
import { folded } from "@nts/shared/contract/folding.rules";
import { MARK_KINDS } from "@nts/shared/contract/marks.rules";
import { validationFailed } from "@nts/shared/errors";
import { putUnder } from "@nts/shared/groups";
import type { Scope } from "@nts/shared/http/tenancy";
import { documentsIn } from "@nts/shared/mongo/raw-find";
import { BY_ID, creationIndex, HOST_ORDER_INDEX } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";
import { addressOfKey } from "../values/addresses.js";
import { isOfRouters, isOfVirtualMachine } from "../values/mac-addresses.rules.js";
import { isEvidence, type KnownBy, kindOfMark } from "./alike-marks.rules.js";

// Hosts that may be one machine. What they have in common is grouped, addresses by the database, and names, serial numbers
// and the like here, so that the work grows with the hosts, and not with their pairs.

type Reads = Pick<Storage, "hosts" | "interfaces" | "totals" | "counted">;

/** Hosts with the same value, oldest first. */
interface Group extends Pick<AlikeHosts, "same" | "value" | "network_id" | "count"> {
  readonly ids: readonly string[];
}

/** @throws AppError `validation_failed` if there are too many hosts */
export async function duplicatesOf(storage: Reads, scope: Scope): Promise<Duplicates> {
  const { hosts, totals } = storage;
  if ((await totals.total(scope, "hosts")) > MOST_COMPARED_HOSTS)
    throw validationFailed({ path: "network_id", message: `must select at most ${MOST_COMPARED_HOSTS} hosts` });
  const withMac = await sharedBy(storage, scope, "mac_address");
  const byMac = await withoutSeparated(storage, scope, withMac);
  const byAddress = await sharedBy(storage, scope, "ip_address");
  const { compared, withMark, byHostname, byName } = await namesakes(storage, scope);
  const byMark = await marked(storage, scope, withMark);
  // The strongest evidence comes first; hosts that are alike in several ways are named once.
  const groups = new Map<string, Group>();
  const bySerial = byMark.filter(({ same }) => same === "serial");
  const byOther = byMark.filter(({ same }) => same !== "serial");
  for (const group of [...bySerial, ...byMac, ...byAddress, ...byOther, ...byHostname, ...byName]) {
    const key = group.ids.join(" ");
    if (!groups.has(key)) groups.set(key, group);
  }
  const listed = [...groups.values()].slice(0, MOST_DUPLICATES);
  const ids = [...new Set(listed.flatMap((group) => group.ids))];
  const projection = { name: 1, hostname: 1, addresses: { $substrBytes: ["$addresses", 0, ADDRESS_BYTES] } };
  const found = await hosts.select(scope, { _id: { $in: ids } }, { projection, hint: BY_ID });
  const byId = new Map(found.map((document) => [document._id, shownOf(document)]));
  return {
    compared,
    complete: [groups.size - 1, withMac.length, byAddress.length, withMark.length].every(
      (found) => found < MOST_DUPLICATES,
    ),
    duplicates: listed.map(({ ids: own, ...group }) => ({ ...group, hosts: own.flatMap((id) => byId.get(id) ?? []) })),
  };
}

/** The first addresses of a host are shown. */
const ADDRESSES = 3;
/** Enough for these with IPv6. */
const ADDRESS_BYTES = 150;

function shownOf({ _id: id, name, hostname, addresses }: Document): DuplicateHost {
  const lines = String(addresses).split("\n").slice(1);
  // The last one may be cut off.
  const whole = String(addresses).length < ADDRESS_BYTES ? lines : lines.slice(0, -1);
  return {
    ...{ id: String(id), name: String(name), hostname: typeof hostname === "string" ? hostname : null },
    addresses: whole.slice(0, ADDRESSES),
  };
}

const SHARED = { mac_address: "mac_address", ip_address: "ip_key" } as const;

/** Groups of hosts whose interfaces have the same value. */
async function sharedBy({ counted }: Reads, scope: Scope, same: keyof typeof SHARED): Promise<Group[]> {
  const found = await counted.shared(scope, SHARED[same], { most: MOST_DUPLICATES, named: MOST_ALIKE });
  return found.flatMap(({ value, ...group }): Group[] => {
    if (same === "mac_address") return isOfRouters(value) ? [] : [{ same, value, ...group }];
    return [{ same, value: addressOfKey(value), ...group }];
  });
}

/** Interfaces per group that are looked at. */
const MOST_SEPARATED = 2_000;

/** Without hosts that people have split from others with that MAC address. */
async function withoutSeparated({ interfaces }: Reads, scope: Scope, groups: readonly Group[]): Promise<Group[]> {
  if (groups.length === 0) return [];
  const macs = groups.map(({ value }) => value);
  const ids = [...new Set(groups.flatMap((group) => group.ids))];
  const found = await interfaces.select(
    scope,
    { mac_address: { $in: macs }, host_id: { $in: ids } },
    { projection: { wire: 1 }, limit: MOST_SEPARATED },
  );
  const separated = new Set(
    found.flatMap(({ wire }) => {
      const { is_separate, mac_address, host_id } = JSON.parse(wire) as Interface;
      return is_separate === true ? [`${mac_address ?? ""} ${host_id}`] : [];
    }),
  );
  return groups.flatMap((group) => left(group, (id) => !separated.has(`${group.value} ${id}`)));
}

/** What is left of a group without some of its hosts; nothing if that is one host. */
function left(group: Group, stays: (id: string) => boolean): Group[] {
  const ids = group.ids.filter(stays);
  const count = group.count - group.ids.length + ids.length;
  return ids.length > 1 ? [{ ...group, ids, count }] : [];
}

/** The first interfaces of each host that are looked at. */
const CARDS_OF_HOST = 5;

/**
 * Groups of hosts with the same serial number and the like; without those that people have split, and without virtual machines
 * where copies of an image have it, too.
 */
async function marked({ hosts, interfaces }: Reads, scope: Scope, groups: readonly Group[]): Promise<Group[]> {
  const some = groups.slice(0, MOST_DUPLICATES);
  const ids = [...new Set(some.flatMap((group) => group.ids))];
  if (ids.length === 0) return [];
  const written = new Map<string, string>();
  const found = await hosts.findMarked(scope, ids);
  // As the oldest one has it.
  for (const { marks } of found.sort((a, b) => (a.id < b.id ? -1 : 1)))
    for (const { key, value } of marks) if (!written.has(key)) written.set(key, value);
  const cards = await interfaces.select(
    scope,
    { host_id: { $in: ids }, position: { $lt: CARDS_OF_HOST } },
    { projection: { wire: 1 }, hint: HOST_ORDER_INDEX },
  );
  const separated = new Set<string>();
  const virtual = new Set<string>();
  for (const { wire } of cards) {
    const { host_id, is_separate, mac_address } = JSON.parse(wire) as Interface;
    if (is_separate === true) separated.add(host_id);
    if (mac_address !== null && isOfVirtualMachine(mac_address)) virtual.add(host_id);
  }
  return some.flatMap((group) => {
    const stays = (id: string): boolean => !separated.has(id) && (group.same === "serial" || !virtual.has(id));
    return left({ ...group, value: written.get(group.value) ?? "" }, stays);
  });
}

function knownName(hostname: unknown, name: string): string | null {
  if (typeof hostname === "string") return hostname;
  return isIP(name) === 0 ? name : null;
}

/** Groups of hosts with the same serial number and the like, and with the same host name or name, in any case. */
async function namesakes({ hosts }: Reads, scope: Scope) {
  const idsBy = { hostname: new Map<string, string[]>(), name: new Map<string, string[]>() };
  const hostsWith = new Map<string, KnownBy[]>();
  let compared = 0;
  const find = {
    filter: hosts.within(scope),
    projection: { name: 1, hostname: 1, network_id: 1, marks: 1 },
    sort: { created_at: 1, _id: 1 },
    hint: creationIndex(scope.networks !== "all"),
  } as const;
  for await (const batch of hosts.read(scope, find))
    for (const { _id: id, network_id, hostname, name, marks } of documentsIn(batch)) {
      compared++;
      putUnder(idsBy.hostname, keyOf(network_id, hostname), String(id));
      putUnder(idsBy.name, keyOf(network_id, name), String(id));
      if (!Array.isArray(marks) || marks.length === 0) continue;
      const host: KnownBy = {
        id: String(id),
        name: knownName(hostname, String(name)),
        marks: marks.map(String),
      };
      for (const key of host.marks) putUnder(hostsWith, `${String(network_id)} ${key}`, host);
    }
  const withMark = [...hostsWith].flatMap(([key, some]): Group[] => {
    const [network_id = "", mark = ""] = key.split(" ");
    if (!isEvidence(mark, some)) return [];
    const ids = some.slice(0, MOST_ALIKE).map(({ id }) => id);
    return [{ same: kindOfMark(mark), value: mark, network_id, count: some.length, ids: ids.sort() }];
  });
  withMark.sort((a, b) => MARK_KINDS.indexOf(kindOfMark(a.value)) - MARK_KINDS.indexOf(kindOfMark(b.value)));
  const groupsOf = (same: SameMember & keyof typeof idsBy): Group[] =>
    [...idsBy[same]].flatMap(([key, ids]) => {
      const [network_id = "", ...value] = key.split(" ");
      if (value.length === 0) return [];
      const shown = ids.slice(0, MOST_ALIKE).sort();
      return ids.length > 1 ? [{ same, value: value.join(" "), network_id, count: ids.length, ids: shown }] : [];
    });
  return { compared, withMark, byHostname: groupsOf("hostname"), byName: groupsOf("name") };
}

/** Hosts without a value are under the network alone. */
function keyOf(networkId: unknown, value: unknown): string {
  return typeof value === "string" && value !== "" ? `${String(networkId)} ${folded(value)}` : String(networkId);
}

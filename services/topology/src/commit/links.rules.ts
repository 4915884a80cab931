import { type Interface, type Link, type LinkEnd, PORT_NAME_LENGTH } from "@nts/shared/contract";
import type { Stored } from "../storage/entities.js";
import { revised } from "../storage/revisions.rules.js";
import type { LockedHost } from "../storage/stores/host-locks.js";
import { type AllChanges, type Change, type ChangesOf, idsOf, statesAfter } from "./changes.rules.js";
import type { Unfound } from "./dependencies.js";
import { isMoved } from "./references.rules.js";
import { endsKey } from "../values/link-ends.rules.js";

// Links follow what they are connected to: an interface that moves to another host takes its end along, an end whose interface
// is deleted keeps the name of the port, and links of two hosts that become one end at what remains.

/** The links that a write creates or changes. */
export function writtenLinks({ links }: Pick<AllChanges, "links">): Link[] {
  return [...links.created, ...statesAfter(links.changed).map(({ entity }) => entity)];
}

/** The ends of written links at hosts where they did not end before. */
export function newEnds({ links: { created, changed } }: Pick<AllChanges, "links">): NewEnd[] {
  const before = new Map(changed.map((change) => [change.after.entity.id, change.before.entity.ends]));
  return [...created, ...statesAfter(changed).map(({ entity }) => entity)].flatMap(({ id, ends }) =>
    ends.flatMap(({ host_id: hostId }, n) =>
      before.get(id)?.some((end) => end.host_id === hostId) === true ? [] : [{ hostId, path: `ends.${n}.host_id` }],
    ),
  );
}

interface NewEnd {
  readonly hostId: string;
  readonly path: string;
}

/** What written links name that does not exist, or is elsewhere. @param hosts existing ones, locked */
export function unfoundEnds(changes: AllChanges, hosts: ReadonlyMap<string, LockedHost>): Unfound[] {
  const links = writtenLinks(changes);
  if (links.length === 0) return [];
  const gone = new Set(idsOf(changes.hosts.removed));
  const present = [...hosts.values(), ...changes.hosts.created].filter(({ id }) => !gone.has(id));
  const networks = new Map(present.map(({ id, network_id }) => [id, network_id]));
  const interfaces = interfacesAfter(changes, hosts);
  return links.flatMap(({ ends, network_id }) =>
    ends.flatMap(({ host_id, interface_id }, n): Unfound[] => {
      const network = networks.get(host_id);
      const ofHost = { target: host_id, kind: "host", path: `ends.${n}.host_id` } as const;
      if (network === undefined) return [ofHost];
      if (network !== network_id) return [{ ...ofHost, code: "network_mismatch" }];
      const isThere = interface_id === null || interfaces.get(interface_id) === host_id;
      return isThere ? [] : [{ target: interface_id, kind: "interface", path: `ends.${n}.interface_id` }];
    }),
  );
}

/** The hosts of interfaces after the write. */
function interfacesAfter(
  { interfaces }: Pick<AllChanges, "interfaces">,
  hosts: ReadonlyMap<string, LockedHost>,
): ReadonlyMap<string, string> {
  const there = [...hosts.values()].flatMap(({ id, inventory }) =>
    inventory.interfaces.map((one) => [one, id] as const),
  );
  const written = [...interfaces.created, ...statesAfter(interfaces.changed).map(({ entity }) => entity)];
  return new Map([...there, ...written.map(({ id, host_id }) => [id, host_id] as const)]);
}

/** What a write takes away from links. */
export interface Departures {
  /** Deleted interfaces without a replacement, by id. */
  readonly removed: ReadonlyMap<string, Interface>;
  /** The hosts to which interfaces move. */
  readonly moved: ReadonlyMap<string, string>;
  /** What remains of hosts and interfaces that become one with others, by the ids of what is deleted. */
  readonly replacedBy: ReadonlyMap<string, string>;
}

export function departuresIn(
  { hosts, interfaces }: AllChanges,
  replacedBy: ReadonlyMap<string, string> = new Map(),
): Departures & { readonly ids: readonly string[]; readonly hostIds: readonly string[] } {
  const removed = new Map(interfaces.removed.flatMap((one) => (replacedBy.has(one.id) ? [] : [[one.id, one]])));
  const moved = new Map(interfaces.changed.filter(isMoved).map(({ after }) => [after.entity.id, after.entity.host_id]));
  const hostIds = idsOf(hosts.removed).filter((id) => replacedBy.has(id));
  return { removed, moved, replacedBy, ids: [...idsOf(interfaces.removed), ...moved.keys()], hostIds };
}

/** The end after that. */
export function endAfter(
  { host_id, interface_id, port }: LinkEnd,
  { removed, moved, replacedBy }: Departures,
): LinkEnd {
  const on = replacedBy.get(host_id) ?? host_id;
  if (interface_id === null) return { host_id: on, interface_id, port };
  const gone = removed.get(interface_id);
  if (gone !== undefined)
    return { host_id: on, interface_id: null, port: port ?? (gone.name ?? gone.ip_address).slice(0, PORT_NAME_LENGTH) };
  const id = replacedBy.get(interface_id) ?? interface_id;
  return { host_id: moved.get(id) ?? on, interface_id: id, port };
}

/**
 * What becomes of links whose ends change. Those that would connect a host with itself are deleted, and those that another
 * link has become or is.
 *
 * @param taken keys of ends of other links
 */
export function relinked(
  links: readonly Stored<Link>[],
  endOf: (end: LinkEnd) => LinkEnd,
  { taken, now }: { readonly taken: ReadonlySet<string>; readonly now: Date },
): Pick<ChangesOf<Link>, "changed" | "removed"> {
  const keys = new Set(taken);
  const changed: Change<Link>[] = [];
  const removed: Link[] = [];
  for (const before of links) {
    const ends = before.entity.ends.map(endOf);
    const after = revised(before, { ...before.entity, ends }, now);
    const key = endsKey(ends);
    const [one, other] = ends;
    if (one?.host_id === other?.host_id || keys.has(key)) removed.push(before.entity);
    else if (after !== null) changed.push({ before, after });
    keys.add(key);
  }
  return { changed, removed };
}

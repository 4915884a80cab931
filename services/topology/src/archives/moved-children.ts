import type { ClientSession, Filter, FindOptions } from "mongodb";
import type { ArchiveFailure } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { type KindOnHost, KINDS_ON_HOSTS, type PluralOf, pluralOf } from "@nts/shared/contract/kinds";
import type { Entities, Entity, EntityDocument } from "../storage/entities.js";
import { STORED } from "../storage/entity-reader.js";
import { BY_ID } from "../storage/indexes.js";
import { narrowedTo } from "../storage/scope.js";
import { parseAddress } from "../values/addresses.js";
import type { Target } from "./top-level.js";
import type { HostGroup, Naming, PresentHost } from "./plan.js";

// Finds children that were moved to another host since the export, and conflicts that prevent a restore.

const CHILDREN = KINDS_ON_HOSTS.map(pluralOf);

/**
 * Adds children that were moved to other hosts to the hosts that they have in the archive.
 *
 * @throws AppError `already_exists` if a child is on another host, and its host in the archive no longer exists
 */
export async function withMovedChildren(
  target: Pick<Target, "storage" | "scope"> & { readonly tx?: ClientSession | undefined },
  groups: readonly HostGroup[],
  present: ReadonlyMap<string, PresentHost>,
  naming: Naming,
): Promise<ReadonlyMap<string, PresentHost>> {
  let whole = present;
  for (const kind of CHILDREN) whole = await withMoved(kind, target, { groups, present: whole, naming });
  return whole;
}

async function withMoved(
  kind: PluralOf<KindOnHost>,
  { storage, scope, tx }: Parameters<typeof withMovedChildren>[0],
  {
    groups,
    present,
    naming: { derived },
  }: {
    readonly groups: readonly HostGroup[];
    readonly present: ReadonlyMap<string, PresentHost>;
    readonly naming: Naming;
  },
): Promise<ReadonlyMap<string, PresentHost>> {
  const entities = storage[kind] as unknown as Entities<Entity>;
  const select = (filter: Filter<EntityDocument>, options: FindOptions): Promise<EntityDocument[]> =>
    tx === undefined ? entities.select(scope, filter, options) : entities.selectIn(tx, scope, filter, options);
  const ids = groups.flatMap((group) => group[kind].flatMap(({ id }) => [id, derived(id)]));
  if (ids.length === 0) return present;
  const found = await select({ _id: { $in: ids } }, { projection: { host_id: 1 }, hint: BY_ID });
  const hostOf = new Map(found.map(({ _id, host_id }) => [_id, String(host_id)]));
  const movedTo = new Map<string, string>();
  for (const { host, [kind]: archived } of groups) {
    const home = present.get(host.id)?.host.entity.id;
    for (const { id } of archived) {
      const own = hostOf.get(id);
      const made = hostOf.get(derived(id));
      if (home === undefined && made !== undefined)
        throw new AppError("already_exists", { entity: entities.name, field: "host_id" });
      if (home === undefined || own === home || made === home) continue;
      if (own !== undefined || made !== undefined) movedTo.set(own === undefined ? derived(id) : id, host.id);
    }
  }
  if (movedTo.size === 0) return present;
  const whole = new Map(present);
  for (const document of await select({ _id: { $in: [...movedTo.keys()] } }, { projection: STORED, hint: BY_ID })) {
    const moved = entities.storedIn(document, scope);
    const hostId = movedTo.get(moved.entity.id) ?? "";
    const home = whole.get(hostId);
    if (home !== undefined) whole.set(hostId, { ...home, [kind]: [...home[kind], moved] });
  }
  return whole;
}

/** The hosts of a host's children: itself, and those that its children were moved to. */
export function hostsOf({ host, ...children }: PresentHost): string[] {
  const elsewhere = CHILDREN.flatMap((kind) => children[kind].map(({ entity }) => entity.host_id));
  return [...new Set([host.entity.id, ...elsewhere])];
}

/** The line of the entity that conflicts with an existing one, and the host that has that; null for other failures. */
export async function takenBy(
  { storage, scope }: Pick<Target, "storage" | "scope">,
  group: HostGroup,
  { place, derived }: Naming,
  { code, params }: AppError,
): Promise<ArchiveFailure["taken"]> {
  if (code !== "already_exists") return null;
  const moved = (id: string, host_id: string) => ({ line: group.lines.get(id) ?? group.line, host_id });
  const kind = CHILDREN.find((one) => storage[one].name === params["entity"]);
  if (kind !== undefined && params["field"] === "host_id") {
    const ids = group[kind].map(({ id }) => derived(id));
    const options = { projection: { host_id: 1 }, hint: BY_ID } as const;
    const [one] = await storage[kind].select(scope, { _id: { $in: ids } }, options);
    const archived = group[kind].find(({ id }) => derived(id) === one?._id);
    return one === undefined || archived === undefined ? null : moved(archived.id, String(one["host_id"]));
  }
  const own = [group.host.id, derived(group.host.id)];
  const ipAddresses = group.interfaces.map(({ ip_address }) => ip_address);
  // The others are restored themselves.
  const restored = new Set(group.interfaces.flatMap(({ id }) => [id, derived(id)]));
  const there = await storage.interfaces.findByIdentity(narrowedTo(scope, place(group.host.network_id)), {
    macAddresses: [],
    ipAddresses,
  });
  for (const { id, subnet_id, ip_address } of group.interfaces) {
    const ip = parseAddress(ip_address).text;
    const taken = there.find(
      (one) =>
        one.subnet_id === place(subnet_id) &&
        one.ip_address === ip &&
        own.includes(one.host_id) &&
        !restored.has(one.id),
    );
    if (taken !== undefined) return moved(id, taken.host_id);
  }
  return null;
}

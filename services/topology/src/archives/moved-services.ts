import type { ArchiveFailure } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { updateOne } from "../hosts/update-service.js";
import { STORED } from "../storage/entity-reader.js";
import { BY_ID } from "../storage/indexes.js";
import { narrowedTo } from "../storage/scope.js";
import { parseAddress } from "../values/addresses.js";
import type { Target } from "./top-level.js";
import type { HostGroup, Naming, PresentHost } from "./plan.js";

// Moves services back that were moved to another host since the export, and locates conflicts that prevent a restore.

/** Temporary position, until the services of the host are reordered. */
const LAST = 2_147_483_647;

/**
 * Adds services that were moved to other hosts to the hosts that they have in the archive.
 *
 * @throws AppError `already_exists` if a service is on another host, and its host in the archive no longer exists
 */
export async function withMovedServices(
  { storage: { services }, scope }: Pick<Target, "storage" | "scope">,
  groups: readonly HostGroup[],
  present: ReadonlyMap<string, PresentHost>,
  { derived }: Naming,
): Promise<ReadonlyMap<string, PresentHost>> {
  const ids = groups.flatMap((group) => group.services.flatMap(({ id }) => [id, derived(id)]));
  if (ids.length === 0) return present;
  const found = await services.select(scope, { _id: { $in: ids } }, { projection: { host_id: 1 }, hint: BY_ID });
  const hostOf = new Map(found.map(({ _id, host_id }) => [_id, String(host_id)]));
  const movedTo = new Map<string, string>();
  for (const { host, services: asked } of groups) {
    const home = present.get(host.id)?.host.entity.id;
    for (const { id } of asked) {
      const [own, made] = [hostOf.get(id), hostOf.get(derived(id))];
      if (home === undefined && made !== undefined)
        throw new AppError("already_exists", { entity: "Service", field: "host_id" });
      if (home === undefined || own === home || made === home) continue;
      if (own !== undefined || made !== undefined) movedTo.set(own === undefined ? derived(id) : id, host.id);
    }
  }
  if (movedTo.size === 0) return present;
  const whole = new Map(present);
  for (const document of await services.select(scope, { _id: { $in: [...movedTo.keys()] } }, { projection: STORED, hint: BY_ID })) {
    const moved = services.storedIn(document, scope);
    const hostId = movedTo.get(moved.entity.id) ?? "";
    const home = whole.get(hostId);
    if (home !== undefined) whole.set(hostId, { ...home, services: [...home.services, moved] });
  }
  return whole;
} // prettier-ignore

/** Moves services back to a host without their bindings, which are written with the host. */
export async function moveServicesBack(
  { storage, work, scope }: Target,
  { host, services }: PresentHost,
): Promise<void> {
  const { id: hostId } = host.entity;
  for (const { entity } of services)
    if (entity.host_id !== hostId)
      await updateOne(storage, {
        ...{ work, scope, id: entity.id, to: hostId, ifMatch: null },
        asked: (current) => ({ ...current, host_id: hostId, bindings: [], position: LAST }),
      });
}

/** The line of the entity that conflicts with an existing one, and the host that has that; null for other failures. */
export async function takenBy(
  { storage: { interfaces, services }, scope }: Pick<Target, "storage" | "scope">,
  group: HostGroup,
  { place, derived }: Naming,
  { code, params }: AppError,
): Promise<ArchiveFailure["taken"]> {
  if (code !== "already_exists") return null;
  const moved = (id: string, host_id: string) => ({ line: group.lines.get(id) ?? group.line, host_id });
  if (params["entity"] === "Service") {
    const ids = group.services.map(({ id }) => derived(id));
    const [one] = await services.select(scope, { _id: { $in: ids } }, { projection: { host_id: 1 }, hint: BY_ID });
    const asked = group.services.find(({ id }) => derived(id) === one?._id);
    return one === undefined || asked === undefined ? null : moved(asked.id, String(one["host_id"]));
  }
  const own = [group.host.id, derived(group.host.id)];
  const ipAddresses = group.interfaces.map(({ ip_address }) => ip_address);
  const there = await interfaces.findByIdentity(narrowedTo(scope, place(group.host.network_id)), { macAddresses: [], ipAddresses }); // prettier-ignore
  for (const { id, subnet_id, ip_address } of group.interfaces) {
    const ip = parseAddress(ip_address).text;
    const taken = there.find((one) => one.subnet_id === place(subnet_id) && one.ip_address === ip && own.includes(one.host_id) && ![id, derived(id)].includes(one.id)); // prettier-ignore
    if (taken !== undefined) return moved(id, taken.host_id);
  }
  return null;
} // prettier-ignore

import type { ClientSession } from "mongodb";
import { type Dependency, MOST_DEPENDENCIES_OF_HOST, REVERTED_ENTITIES } from "@nts/shared/contract";
import { AppError, type ErrorCode, validationFailed } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { changesOf } from "../storage/changes.rules.js";
import { BY_ID, HOST_DEPENDENCIES_INDEX } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";
import type { LockedHost } from "../storage/stores/host-locks.js";
import { endsKeyOf, idsNamedBy, isOfItself, namedBy, renamed } from "../values/ends.rules.js";
import { type AllChanges, idsOf, statesAfter } from "./changes.rules.js";
import { isMoved } from "./references.rules.js";
import { requireRoom } from "./room.js";

// A dependency is deleted with any host, service or port that it names, moves with its services, and refers to what remains
// of two that become one. Whatever removes or moves these: all writes of hosts come through here.

/** What a reference does not find. */
export interface Unfound {
  readonly target: string;
  readonly kind: "network" | "subnet" | "vlan" | "tag" | "host" | "interface" | "service" | "port";
  readonly path: string;
  /** By default `invalid_reference`. */
  readonly code?: ErrorCode;
}

interface Carrying {
  readonly whole: AllChanges;
  readonly replacedBy: ReadonlyMap<string, string> | undefined;
}

/** Adds what becomes of the dependencies of what is removed or moved. @throws AppError `too_many_changes` */
export async function withDependencies(
  { dependencies }: Pick<Storage, "dependencies">,
  tx: ClientSession,
  scope: Scope,
  { whole, replacedBy = new Map() }: Carrying,
): Promise<AllChanges> {
  const { hosts, services, ports } = whole;
  const hostOf = new Map(
    [...services.changed.filter(isMoved), ...ports.changed.filter(isMoved)].map(({ after }) => [
      after.entity.id,
      after.entity.host_id,
    ]),
  );
  const gone = new Set([hosts, services, ports].flatMap(({ removed }) => idsOf(removed)));
  if (gone.size + hostOf.size === 0) return whole;
  const ids = (removed: readonly { readonly id: string }[]): string[] => [...idsOf(removed), ...hostOf.keys()];
  const naming = [
    ["host_id", idsOf(hosts.removed)],
    ["service_id", ids(services.removed)],
    ["port_id", ids(ports.removed)],
  ] as const;
  const conditions = naming.flatMap(([field, some]) => (some.length === 0 ? [] : [{ [field]: { $in: some } }]));
  const decided = new Set([...idsOf(whole.dependencies.removed), ...whole.dependencies.changed.map(idOfChange)]);
  const found = (await dependencies.findMany(scope, { $or: conditions }, tx)).filter(
    ({ entity }) => !decided.has(entity.id),
  );
  if (found.length > REVERTED_ENTITIES) throw new AppError("too_many_changes", { limit: REVERTED_ENTITIES });
  const next = found.map((before) => ({ before, entity: carried(before.entity, { replacedBy, hostOf }) }));
  const isLost = (one: Dependency): boolean => isOfItself(one) || idsNamedBy([one]).some((id) => gone.has(id));
  const left = next.filter(({ entity }) => !isLost(entity));
  const twice = await repeated(dependencies, tx, scope, left);
  const kept = left.filter((one) => !twice.has(one.before.entity.id));
  const stay = new Set(kept.map(({ before }) => before.entity.id));
  const removed = found.flatMap(({ entity }) => (stay.has(entity.id) ? [] : [entity]));
  const changed = changesOf(kept, new Date());
  return {
    ...whole,
    dependencies: {
      created: whole.dependencies.created,
      changed: [...whole.dependencies.changed, ...changed],
      removed: [...whole.dependencies.removed, ...removed],
    },
  };
}

const idOfChange = ({ before }: { readonly before: { readonly entity: { readonly id: string } } }): string =>
  before.entity.id;

interface Where {
  readonly replacedBy: ReadonlyMap<string, string>;
  /** The hosts of moved services and ports. */
  readonly hostOf: ReadonlyMap<string, string>;
}

/** Where its ends are now. A port that has not moved with its service is none of its any more. */
function carried(dependency: Dependency, { replacedBy, hostOf }: Where): Dependency {
  const { client, server, ...others } = renamed(dependency, (id) => replacedBy.get(id) ?? id);
  const homeOf = (id: string | null): string | undefined => (id === null ? undefined : hostOf.get(id));
  const serverHost = homeOf(server.service_id) ?? (server.service_id === null ? homeOf(server.port_id) : undefined);
  const portHost = homeOf(server.port_id) ?? server.host_id;
  const host_id = serverHost ?? server.host_id;
  return {
    ...others,
    client: { ...client, host_id: homeOf(client.service_id) ?? client.host_id },
    server: { ...server, host_id, port_id: portHost === host_id ? server.port_id : null },
  };
}

interface Next {
  readonly before: { readonly entity: Dependency };
  readonly entity: Dependency;
}

/** The ids of those whose new ends another one has. */
async function repeated(
  { selectIn }: Storage["dependencies"],
  tx: ClientSession,
  scope: Scope,
  next: readonly Next[],
): Promise<ReadonlySet<string>> {
  const keys = next.map(({ entity }) => endsKeyOf(entity));
  const options = { projection: { ends: 1 } };
  const own = new Set(next.map(({ entity }) => entity.id));
  const others = next.length === 0 ? [] : await selectIn(tx, scope, { ends: { $in: keys } }, options);
  const taken = new Set(others.filter(({ _id }) => !own.has(_id)).map(({ ends }) => String(ends)));
  const twice = new Set<string>();
  for (const { entity } of next) {
    const key = endsKeyOf(entity);
    if (taken.has(key)) twice.add(entity.id);
    taken.add(key);
  }
  return twice;
}

/** Dependencies that are new, or have other ends than before. */
export function changedEnds({ dependencies: { created, changed } }: AllChanges): Dependency[] {
  const others = changed.filter(({ before, after }) => endsKeyOf(before.entity) !== endsKeyOf(after.entity));
  return [...created, ...statesAfter(others).map(({ entity }) => entity)];
}

interface Found {
  readonly changes: AllChanges;
  /** All existing hosts at the ends. */
  readonly hosts: ReadonlyMap<string, LockedHost>;
}

/**
 * What new ends name that does not exist, or is elsewhere.
 *
 * @throws AppError `validation_failed` for a dependency on itself, and for too many of a host
 */
export async function missingEnds(
  { dependencies, services, ports }: Pick<Storage, "dependencies" | "services" | "ports">,
  tx: ClientSession,
  scope: Scope,
  { changes, hosts }: Found,
): Promise<Unfound[]> {
  const next = changedEnds(changes);
  if (next.length === 0) return [];
  for (const one of next)
    if (isOfItself(one))
      throw validationFailed({ path: "server", message: "must not be the client itself, or its host" });
  const gone = new Set(idsOf(changes.hosts.removed));
  const networkOf = new Map<string, string>(
    [...hosts.values(), ...changes.hosts.created]
      .filter(({ id }) => !gone.has(id))
      .map((one) => [one.id, one.network_id]),
  );
  const hostOf = new Map<string, string>();
  for (const store of [services, ports]) {
    const ids = next.flatMap((one) => namedBy(one)[store === services ? "service_id" : "port_id"]);
    if (ids.length === 0) continue;
    const options = { projection: { host_id: 1 }, hint: BY_ID };
    const filter = { _id: { $in: [...new Set(ids)] } };
    for (const { _id, host_id } of await store.selectIn(tx, scope, filter, options)) hostOf.set(_id, String(host_id));
  }
  await requireRoom(dependencies, tx, scope, {
    ...{ noun: "dependencies", most: MOST_DEPENDENCIES_OF_HOST, hint: HOST_DEPENDENCIES_INDEX },
    added: changes.dependencies.created.flatMap((one) =>
      namedBy(one).host_id.map((hostId) => ({
        hostId,
        path: hostId === one.client.host_id ? "client.host_id" : "server.host_id",
      })),
    ),
  });
  return next.flatMap((one) => unfoundIn(one, { networkOf, hostOf }));
}

function unfoundIn(
  { network_id, client, server }: Dependency,
  { networkOf, hostOf }: { networkOf: ReadonlyMap<string, string>; hostOf: ReadonlyMap<string, string> },
): Unfound[] {
  return (
    [
      ["client", client, null],
      ["server", server, server.port_id],
    ] as const
  ).flatMap(([end, { host_id, service_id }, port_id]) => {
    const network = networkOf.get(host_id);
    const path = `${end}.host_id`;
    if (network === undefined) return [{ target: host_id, kind: "host" as const, path }];
    if (network !== network_id)
      return [{ target: host_id, kind: "host" as const, path, code: "network_mismatch" as const }];
    const on: Unfound[] = [];
    if (service_id !== null && hostOf.get(service_id) !== host_id)
      on.push({ target: service_id, kind: "service", path: `${end}.service_id` });
    if (port_id !== null && hostOf.get(port_id) !== host_id)
      on.push({ target: port_id, kind: "port", path: `${end}.port_id` });
    return on;
  });
}

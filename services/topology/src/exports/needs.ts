import type { Dependency, Host, Link } from "@nts/shared/contract";
import { chunksOf, putUnder } from "@nts/shared/groups";
import type { Scope } from "@nts/shared/http/tenancy";
import { DEADLINES } from "@nts/shared/timing";
import { BY_ID, HOST_DEPENDENCIES_INDEX, HOST_LINKS_INDEX } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";
import { clientOf } from "../values/ends.rules.js";
import { runnersOf } from "../values/runners.rules.js";
import type { Needs } from "./formats/writer.rules.js";

// What a batch of hosts needs, for exports that say it: the servers of their dependencies, and the one network device that each
// hangs on, or the one host that it runs on. Network devices hang on nothing, and guests are no parents, so that these never lead
// in a circle.

type Reads = Pick<Storage, "dependencies" | "links" | "hosts" | "services">;

const TOGETHER = 500;
const NETWORK_ROLES: ReadonlySet<string> = new Set(["Router", "Switch", "AccessPoint", "Firewall"]);

interface Known {
  readonly name: string;
  readonly role: string | null;
  /** It runs on something itself. */
  readonly isGuest: boolean;
}

export async function readNeeds(storage: Reads, scope: Scope, hosts: readonly Host[]): Promise<Needs> {
  const ids = hosts.map(({ id }) => id);
  const here = new Set(ids);
  const dependencies = await dependenciesOf(storage, scope, here);
  const links = await linksOf(storage, scope, ids);
  const runners = new Map(
    hosts.map((host) => [host.id, runnersOf(host).flatMap(({ kind, id }) => (kind === "host" ? id : []))]),
  );
  const known = await hostsCalled(storage, scope, [
    ...dependencies.map(({ server }) => server.host_id),
    ...links.flatMap(({ ends }) => ends.map(({ host_id }) => host_id)),
    ...[...runners.values()].flat(),
  ]);
  const services = await servicesCalled(
    storage,
    scope,
    dependencies.flatMap(({ server }) => server.service_id ?? []),
  );
  const needs = new Map<string, string[]>();
  for (const { client, server } of dependencies) {
    const place = clientOf({ client, server });
    const host = known.get(server.host_id)?.name ?? "";
    const service = services.get(server.service_id ?? "");
    putUnder(needs, place.id, service === undefined ? host : `${service} on ${host}`);
  }
  const linkedTo = new Map<string, Set<string>>();
  for (const { ends } of links) {
    const [a, b] = ends.map(({ host_id }) => host_id);
    if (a === undefined || b === undefined || a === b) continue;
    for (const [from, to] of [[a, b] as const, [b, a] as const])
      if (here.has(from)) linkedTo.set(from, (linkedTo.get(from) ?? new Set()).add(to));
  }
  const roleOf = new Map(hosts.map((host) => [host.id, host.role ?? host.observed?.role?.value ?? null]));
  return {
    of: (id) => needs.get(id) ?? [],
    parentOf: (id) => {
      if (NETWORK_ROLES.has(roleOf.get(id) ?? "")) return null;
      const runner = (runners.get(id) ?? []).filter((one) => one !== id);
      const devices = [...(linkedTo.get(id) ?? [])].filter((one) => NETWORK_ROLES.has(known.get(one)?.role ?? ""));
      const [only, ...others] = runner.length > 0 ? runner : devices;
      const found = only === undefined || others.length > 0 ? undefined : known.get(only);
      const isTop = found !== undefined && (runner.length === 0 || !found.isGuest);
      return only === undefined || !isTop ? null : { id: only, name: found.name };
    },
  };
}

/** Those whose clients are among the hosts. */
async function dependenciesOf(
  { dependencies: { readStored, within } }: Reads,
  scope: Scope,
  hostIds: ReadonlySet<string>,
): Promise<Dependency[]> {
  const found: Dependency[] = [];
  const filter = { ...within(scope), host_id: { $in: [...hostIds] } };
  for await (const batch of readStored(scope, { filter, hint: HOST_DEPENDENCIES_INDEX, maxTimeMS: DEADLINES.streamMs }))
    for (const { entity } of batch) if (hostIds.has(entity.client.host_id)) found.push(entity);
  return found;
}

async function linksOf(
  { links: { readStored, within } }: Reads,
  scope: Scope,
  hostIds: readonly string[],
): Promise<Link[]> {
  const found: Link[] = [];
  const filter = { ...within(scope), host_id: { $in: [...hostIds] } };
  for await (const batch of readStored(scope, { filter, hint: HOST_LINKS_INDEX, maxTimeMS: DEADLINES.streamMs }))
    found.push(...batch.map(({ entity }) => entity));
  return found;
}

async function hostsCalled(
  { hosts }: Reads,
  scope: Scope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Known>> {
  const found = new Map<string, Known>();
  for (const some of chunksOf([...new Set(ids)], TOGETHER))
    for await (const batch of hosts.readStored(scope, {
      filter: { ...hosts.within(scope), _id: { $in: [...some] } },
      hint: BY_ID,
    }))
      for (const { entity } of batch)
        found.set(entity.id, {
          name: entity.name,
          role: entity.role ?? entity.observed?.role?.value ?? null,
          isGuest: runnersOf(entity).length > 0,
        });
  return found;
}

async function servicesCalled(
  { services }: Reads,
  scope: Scope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const some of chunksOf([...new Set(ids)], TOGETHER))
    for (const { _id, name } of await services.select(
      scope,
      { _id: { $in: [...some] } },
      { projection: { name: 1 }, hint: BY_ID },
    ))
      found.set(_id, String(name));
  return found;
}

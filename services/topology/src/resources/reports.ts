import {
  type Certificates,
  type EndingCertificate,
  type Gone,
  MOST_CERTIFICATES,
  MOST_GONE,
  type Missing,
  reportCertificates,
  reportGone,
  reportUtilization,
} from "@nts/shared/contract";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Scope } from "@nts/shared/http/tenancy";
import { nameOf } from "@nts/shared/contract/names.rules";
import { namesOf } from "../imports/store.js";
import type { Entity as Named } from "../journal/entries.rules.js";
import type { Entities, Entity } from "../storage/entities.js";
import { amountsOf, membersOf } from "../stats/utilization.js";
import { BY_ID, CERTIFICATES_INDEX, SIGHTED_INDEX } from "../storage/indexes.js";
import { narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";

const DAY_MS = 86_400_000;

export function mountReports(router: Router, storage: Storage): void {
  mount(router, reportGone, async ({ scope: whole, query: { days, network_id: networkId } }) => {
    const scope = narrowedTo(whole, networkId);
    const beforeMs = Date.now() - days * DAY_MS;
    const kinds = [storage.hosts, storage.interfaces, storage.ports, storage.services] as const;
    const found = kinds.map((entities) => goneOf(entities as unknown as Entities<Entity>, scope, beforeMs));
    const [hosts, interfaces, ports, services] = (await Promise.all(found)) as [Found, Found, Found, Found];
    const rows = [hosts, interfaces, ports, services].flatMap((one) => one.rows);
    const names = await namesOf(
      storage,
      scope,
      rows.map(({ host_id }) => host_id),
    );
    const gone: Gone = {
      before: new Date(beforeMs).toISOString(),
      counts: { hosts: hosts.count, interfaces: interfaces.count, ports: ports.count, services: services.count },
      gone: rows.map((one) => ({ ...one, host_name: names.get(one.host_id) ?? "" })),
    };
    return respond.data(gone);
  });

  mount(router, reportCertificates, async ({ scope: whole, query: { days, network_id: networkId } }) => {
    const scope = narrowedTo(whole, networkId);
    const beforeMs = Date.now() + days * DAY_MS;
    const { rows, count } = await certificatesOf(storage, scope, beforeMs);
    const names = await namesOf(
      storage,
      scope,
      rows.map(({ host_id }) => host_id),
    );
    const report: Certificates = {
      before: new Date(beforeMs).toISOString(),
      count,
      certificates: rows.map((one) => ({ ...one, host_name: names.get(one.host_id) ?? "" })),
    };
    return respond.data(report);
  });

  mount(router, reportUtilization, async ({ scope, query: { ids } }) => {
    const { readStored, within } = storage.subnets;
    const texts: string[] = [];
    for await (const batch of readStored(scope, { filter: { ...within(scope), _id: { $in: ids } }, hint: BY_ID }))
      for (const { entity } of batch)
        texts.push(`{"subnet_id":"${entity.id}",${membersOf(await amountsOf(storage, scope, entity))}}`);
    return respond.json(`{"subnets":[${texts.join(",")}]}`);
  });
}

/** The ports whose certificates end first, without the names of their hosts, and the number of all. */
export async function certificatesOf(
  { ports }: Storage,
  scope: Scope,
  beforeMs: number,
): Promise<{ rows: Omit<EndingCertificate, "host_name">[]; count: number }> {
  const filter = { certificate_ends: { $gt: 0, $lte: beforeMs } };
  const find = {
    filter: { ...ports.within(scope), ...filter },
    sort: { certificate_ends: 1 },
    hint: CERTIFICATES_INDEX,
    limit: MOST_CERTIFICATES,
  } as const;
  const rows: Omit<EndingCertificate, "host_name">[] = [];
  for await (const batch of ports.readStored(scope, find))
    for (const { entity } of batch) {
      const { id: port_id, host_id, network_id, number, protocol, observed } = entity;
      const certificate = observed?.certificate ?? null;
      if (certificate !== null) rows.push({ port_id, host_id, network_id, number, protocol, certificate });
    }
  const count = rows.length < MOST_CERTIFICATES ? rows.length : await ports.count(scope, filter, CERTIFICATES_INDEX);
  return { rows, count };
}

interface Found {
  readonly rows: Missing[];
  readonly count: number;
}

async function goneOf(entities: Entities<Entity>, scope: Scope, beforeMs: number): Promise<Found> {
  const long = { $lt: beforeMs };
  const filter = {
    sighted: true,
    missed: { $gt: 0 },
    $or: [{ seen_last: long }, { seen_last: { $exists: false }, missed: long }],
  };
  const find = {
    filter: { ...entities.within(scope), ...filter },
    // In index order, so only returned rows are read.
    sort: { network_id: 1, missed: 1, seen_last: 1 },
    hint: SIGHTED_INDEX,
    limit: MOST_GONE,
  };
  const rows: Missing[] = [];
  for await (const batch of entities.readStored(scope, find))
    for (const { entity, sighting } of batch) {
      const { network_id = "", host_id = entity.id } = entity as unknown as Named;
      const kind = entities.name as Missing["entity"];
      const seen = sighting?.seen ?? null;
      const missed_since = sighting?.missed_since ?? "";
      rows.push({
        entity: kind,
        id: entity.id,
        network_id,
        host_id,
        name: nameOf(entity as unknown as Named),
        seen,
        missed_since,
      });
    }
  const count = rows.length < MOST_GONE ? rows.length : await entities.count(scope, filter, SIGHTED_INDEX);
  return { rows, count };
}

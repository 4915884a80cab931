import {
  type Certificates,
  type EndingCertificate,
  type Gone,
  MOST_CERTIFICATES,
  MOST_GONE,
  type Missing,
  reportCertificates,
  reportDuplicates,
  reportGone,
  reportUtilization,
} from "@nts/shared/contract";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Scope } from "@nts/shared/http/tenancy";
import { nameBetween, nameOf } from "@nts/shared/contract/names.rules";
import { forPlurals, pluralOf, SIGHTED_KINDS } from "@nts/shared/contract/kinds";
import { duplicatesOf } from "../hosts/duplicates.js";
import { namesOf } from "../imports/store.js";
import type { Entity as Named } from "../journal/entries.rules.js";
import type { Entities, Entity } from "../storage/entities.js";
import { amountsOf, membersOf } from "../stats/utilization.js";
import { BY_ID, CERTIFICATES_INDEX, SIGHTED_INDEX } from "../storage/indexes.js";
import { type Ends, hostsOf, type Placed } from "../values/ends.rules.js";
import { narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";

const DAY_MS = 86_400_000;

export function mountReports(router: Router, storage: Storage): void {
  mount(router, reportGone, async ({ scope: whole, query: { days, network_id: networkId } }) => {
    const scope = narrowedTo(whole, networkId);
    const beforeMs = Date.now() - days * DAY_MS;
    const found = await Promise.all(
      SIGHTED_KINDS.map((kind) => goneOf(storage[pluralOf(kind)] as unknown as Entities<Entity>, scope, beforeMs)),
    );
    const rows = found.flatMap((one) => one.rows);
    const names = await namesOf(
      storage,
      scope,
      rows.flatMap(({ host_id, ends }) => [host_id, ...(ends === null ? [] : [ends.server.host_id])]),
    );
    const countOf = new Map(SIGHTED_KINDS.map((kind, at) => [kind, found[at]?.count ?? 0]));
    const gone: Gone = {
      before: new Date(beforeMs).toISOString(),
      counts: forPlurals(SIGHTED_KINDS, (kind) => countOf.get(kind) ?? 0),
      gone: rows.map(({ ends, ...one }) => ({
        ...one,
        ...(ends !== null && { name: nameBetween(ends, (id) => names.get(id)) }),
        host_name: names.get(one.host_id) ?? "",
      })),
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

  mount(router, reportDuplicates, async ({ scope, query: { network_id: networkId } }) =>
    respond.data(await duplicatesOf(storage, narrowedTo(scope, networkId))),
  );

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
  readonly rows: (Missing & {
    /** Of a dependency, which is called by its hosts. */
    readonly ends: Ends | null;
  })[];
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
  const rows: Found["rows"][number][] = [];
  for await (const batch of entities.readStored(scope, find))
    for (const { entity, sighting } of batch) {
      const { network_id = "" } = entity as unknown as Named;
      const [host_id = entity.id] = hostsOf(entity as unknown as Placed);
      const ends = entities.name === "Dependency" ? (entity as unknown as Ends) : null;
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
        ends,
      });
    }
  const count = rows.length < MOST_GONE ? rows.length : await entities.count(scope, filter, SIGHTED_INDEX);
  return { rows, count };
}

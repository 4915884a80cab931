import type { HostRecord, Interface, Service } from "@nts/shared/contract";
import { putUnder } from "@nts/shared/groups";
import type { Entity } from "../storage/entities.js";
import { HOST_ORDER_INDEX } from "../storage/indexes.js";
import { type Addressed, hostSearchFields } from "../storage/stores/host-search.js";
import { entitiesAt, entitiesBefore, inBatches, type Kind, numbersOf, storedEntities } from "./entities.js";
import type { View } from "./view.js";

// Denormalized fields: services are sorted by host name, and hosts are searched and sorted by interface address. They change the result of a
// list although the entity itself is unchanged.

type Document = Readonly<Record<string, unknown>>;

/** Kinds from which fields are denormalized. */
export interface Kinds {
  readonly hosts: Kind;
  readonly interfaces: Kind;
}

export interface DenormalizedFields {
  /** The denormalized fields of entities at the moment, by id. */
  fieldsOf(entities: readonly Entity[]): Promise<ReadonlyMap<string, Document>>;
  /** Yields, in batches, a superset of the stored entities whose denormalized fields have changed. */
  dependents(): AsyncGenerator<readonly Entity[]>;
}

/** The list being read. */
export interface EntitiesQuery {
  readonly kind: Kind;
  readonly sort: Document;
  readonly filter: Document;
  readonly storedFilter: Document;
}

const NONE: DenormalizedFields = {
  fieldsOf: () => Promise.resolve(new Map()),
  async *dependents() {
    // None of them.
  },
};

export function denormalizedFieldsOf(view: View, kinds: Kinds, query: EntitiesQuery): DenormalizedFields {
  const { kind, sort, filter } = query;
  if (kind.name === "Service" && "host_name" in sort) return hostNames(view, kinds, query);
  if (
    kind.name === "Host" &&
    ["search", "address_keys", "first_address"].some((name) => name in filter || name in sort)
  )
    return searchTexts(view, kinds);
  return NONE;
}

function hostNames(view: View, { hosts }: Kinds, { kind, storedFilter }: EntitiesQuery): DenormalizedFields {
  return {
    fieldsOf: async (services) => {
      const hostIds = new Map((services as Service[]).map(({ id, host_id }) => [id, host_id]));
      const found = await entitiesAt<HostRecord>(view, hosts, [...hostIds.values()]);
      return new Map([...hostIds].map(([id, hostId]) => [id, { host_name: found.get(hostId)?.name ?? null }]));
    },
    async *dependents() {
      const changed = [...(view.changed.get("Host") ?? [])].flatMap(([id, n]) => (n > 0 ? [id] : []));
      for (const ids of inBatches(changed))
        yield* storedEntities(view, kind, [storedFilter, { host_id: { $in: ids } }], HOST_ORDER_INDEX);
    },
  };
}

function searchTexts(view: View, { hosts, interfaces }: Kinds): DenormalizedFields {
  const known = view.changed.get(interfaces.name);
  let changed: Promise<ByHost> | null = null;
  const formerInterfaces = (): Promise<ByHost> => (changed ??= changedInterfaces());

  async function changedInterfaces(): Promise<ByHost> {
    const found: ByHost = new Map();
    for await (const formers of entitiesBefore(view, numbersOf(known)))
      for (const { entity } of formers) {
        const { host_id, ip_address } = entity as Interface;
        putUnder(found, host_id, { host_id, ip_address });
      }
    return found;
  }

  return {
    fieldsOf: async (found) => {
      const byHost = await formerInterfaces();
      const on: ByHost = new Map(found.map(({ id }) => [id, [...(byHost.get(id) ?? [])]]));
      const those = [{ host_id: { $in: [...on.keys()] } }];
      for await (const some of storedEntities<Interface>(view, interfaces, those, HOST_ORDER_INDEX))
        for (const one of some) if (known?.has(one.id) !== true) putUnder(on, one.host_id, one);
      return new Map((found as HostRecord[]).map((host) => [host.id, hostSearchFields(host, on.get(host.id) ?? [])]));
    },
    async *dependents() {
      // Interfaces may have moved since: both hosts have other addresses.
      const hostIds = new Set([...view.readdressed, ...(await formerInterfaces()).keys()]);
      for (const ids of inBatches([...hostIds])) yield [...(await entitiesAt(view, hosts, ids)).values()];
    },
  };
}

type ByHost = Map<string, Addressed[]>;

/** Storages of the topology service with one guard turned off: what the guard would write is only read. */
import type { Db } from "mongodb";
import type { GuardDocument } from "@nts/topology/storage/guards";
import type { Storage } from "@nts/topology/storage/storage";

type Unguarded = (storage: Storage, db: Db) => Storage;

/**
 * A host is read, with what stands on it at that moment, and not written; neither is the text by which it is found, which a
 * new interface moves: that would be a guard, too.
 */
const lock: Unguarded = (storage) => {
  const { hosts, interfaces, ports, services } = storage;
  return {
    ...storage,
    interfaces: {
      ...interfaces,
      insert: async (session, { organizationId }, inserted, extra) => {
        const documents = inserted.map((entity) => interfaces.documentOf(organizationId, { entity, revision: 1 }));
        if (documents.length === 0) return;
        await interfaces.collection.insertMany(
          documents.map((one) => ({ ...one, ...extra })),
          { session },
        );
      },
    },
    hosts: {
      ...hosts,
      lock: async (session, scope, id, { add, remove, services: more = 0 } = {}) => {
        const host = await hosts.find(scope, id, session);
        if (host === null) return null;
        const onHost = { host_id: id };
        const idsOf = async (kind: "interfaces" | "ports"): Promise<string[]> => {
          const found = await { interfaces, ports }[kind].findMany(scope, onHost, session);
          const ids = found.map(({ entity }) => entity.id).filter((one) => remove?.[kind]?.includes(one) !== true);
          return [...ids, ...(add?.[kind] ?? [])];
        };
        const { name, network_id } = host.entity;
        const standing = await services.findMany(scope, onHost, session);
        const inventory = {
          interfaces: await idsOf("interfaces"),
          ports: await idsOf("ports"),
          services: standing.length + more,
        };
        return { id, name, network_id, inventory };
      },
    },
  };
};

const reads =
  (db: Db): Storage["guards"]["hold"] =>
  async (session, { organizationId }, target, kind) => {
    const filter = { target, kind, organization_id: organizationId };
    return (await db.collection<GuardDocument>("guards").findOne(filter, { session })) !== null;
  };

/** Subnets and tags are looked at, and not held. */
const hold: Unguarded = (storage, db) => ({ ...storage, guards: { ...storage.guards, hold: reads(db) } });

/** Networks are looked at; nothing is counted. */
const count: Unguarded = (storage, db) => {
  const isThere = reads(db);
  return {
    ...storage,
    guards: { ...storage.guards, count: (session, scope, networkId) => isThere(session, scope, networkId, "network") },
  };
};

/** Imports have no lanes: each looks at the network, and holds at random what others hold. */
const inLane: Unguarded = (storage, db) => {
  const { guards } = storage;
  const hold: typeof guards.hold = (session, scope, target, kind) =>
    kind === "network" ? reads(db)(session, scope, target, kind) : guards.hold(session, scope, target, kind);
  return { ...storage, guards: { ...guards, inLane: () => ({ ...guards, hold }) } };
};

/** Each operation stands alone: what a body has written stays when it fails, and others see it half done. */
const transaction: Unguarded = (storage, db) => ({
  ...storage,
  transaction: (_keys, body) => db.client.withSession(body),
});

/** By the name of what is turned off. */
export const UNGUARDED = { lock, hold, count, inLane, transaction };

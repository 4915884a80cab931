/** Storages of topology with one guard disabled: what the guard would write is only read. */
import type { Db } from "mongodb";
import type { GuardDocument } from "@nts/topology/storage/guards";
import { Discard } from "@nts/shared/mongo/transaction";
import type { LockedHost } from "@nts/topology/storage/stores/host-locks";
import type { Storage } from "@nts/topology/storage/storage";

export type Unguarded = (storage: Storage, db: Db) => Storage;

/** A host is read with its children, and not written; neither is its search text, which would be a guard, too. */
const lock: Unguarded = (storage) => {
  const { hosts, interfaces, ports, services } = storage;
  const lockOne: Storage["hosts"]["lock"] = async (tx, scope, id, { add, remove, services: more = 0 } = {}) => {
    const host = await hosts.find(scope, id, tx);
    if (host === null) return null;
    const onHost = { host_id: id };
    const idsOf = async (kind: "interfaces" | "ports"): Promise<string[]> => {
      const found = await { interfaces, ports }[kind].findMany(scope, onHost, tx);
      const ids = found.map(({ entity }) => entity.id).filter((one) => remove?.[kind]?.includes(one) !== true);
      return [...ids, ...(add?.[kind] ?? [])];
    };
    const { name, network_id } = host.entity;
    const children = await services.findMany(scope, onHost, tx);
    const inventory = {
      interfaces: await idsOf("interfaces"),
      ports: await idsOf("ports"),
      services: children.length + more,
    };
    return { id, name, network_id, inventory };
  };
  return {
    ...storage,
    interfaces: {
      ...interfaces,
      insert: async (tx, { organizationId }, inserted) => {
        const documents = inserted.map((entity) => interfaces.documentOf(organizationId, { entity, revision: 1 }));
        if (documents.length > 0) await interfaces.collection.insertMany(documents, { session: tx });
      },
    },
    hosts: {
      ...hosts,
      lock: lockOne,
      lockAll: async (tx, scope, changes) => {
        const locked = new Map<string, LockedHost>();
        for (const [id, change] of changes) {
          const host = await lockOne(tx, scope, id, change);
          if (host !== null) locked.set(id, host);
        }
        return locked;
      },
    },
  };
};

type AddReferences = Storage["guards"]["reference"];

/** The targets of some kinds of references are read, and not written. */
function readInsteadOfWriting(
  db: Db,
  write: AddReferences,
  isRead: (kind: GuardDocument["kind"]) => boolean,
): AddReferences {
  return async (tx, scope, references) => {
    const missing = new Set(
      await write(
        tx,
        scope,
        references.filter(({ kind }) => !isRead(kind)),
      ),
    );
    for (const { target, kind } of references.filter((one) => isRead(one.kind))) {
      const filter = { target, kind, organization_id: scope.organizationId };
      if ((await db.collection<GuardDocument>("guards").findOne(filter, { session: tx })) === null) missing.add(target);
    }
    return missing;
  };
}

const withoutGuardOf =
  (isRead: (kind: GuardDocument["kind"]) => boolean): Unguarded =>
  (storage, db) => {
    const reference = readInsteadOfWriting(db, storage.guards.reference, isRead);
    return { ...storage, guards: { ...storage.guards, reference } };
  };

/** Subnets and tags are read, and not written. */
const reference = withoutGuardOf((kind) => kind !== "network");

/** Networks are read; nothing is counted. */
const count = withoutGuardOf((kind) => kind === "network");

/** Imports have no shards of their own: each reads the network, and writes in shards unrelated to its host. */
const inShard: Unguarded = (storage, db) => {
  const { guards } = storage;
  const networks = readInsteadOfWriting(db, guards.reference, (kind) => kind === "network");
  return {
    ...storage,
    guards: {
      ...guards,
      inShard: () => ({ ...guards, reference: networks }),
      lockShards: async (tx, scope, networkId) =>
        (await networks(tx, scope, [{ target: networkId, kind: "network" }])).size === 0,
    },
  };
};

/**
 * Each operation is separate: writes stay after a failure, others see partial results, and revisions are not checked.
 */
const transaction: Unguarded = (storage, db) => ({
  ...storage,
  services: {
    ...storage.services,
    replaceRead: async (tx, scope, changed, extra) => {
      for (const one of changed)
        await storage.services.replace(tx, scope, [one], typeof extra === "function" ? extra(one.entity) : extra);
      return true;
    },
  },
  transaction: (_work, _keys, body) =>
    db.client.withSession(body).catch((error: unknown) => {
      if (error instanceof Discard) return error.value as Awaited<ReturnType<typeof body>>;
      throw error;
    }),
});

/** Updates without a transaction are written whatever the revision is by then. */
const revision: Unguarded = (storage) => {
  const { services, shortWrites } = storage;
  return {
    ...storage,
    shortWrites: {
      ...shortWrites,
      write: async (_work, { organizationId }, next) => {
        const { _id, ...fields } = services.documentOf(organizationId, next);
        await services.collection.updateOne({ organization_id: organizationId, _id }, { $set: fields });
        return "written";
      },
    },
  };
};

/** By the name of the disabled guard. */
export const UNGUARDED = { lock, reference, count, inShard, transaction, revision };

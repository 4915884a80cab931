import type { Db } from "mongodb";
import type { HostRecord, Interface, Service } from "@nts/shared/contract";
import { type BatchesById, createCollections, dropOtherIndexes, type Migration } from "@nts/shared/mongo/migrations";
import { hostKind } from "../kinds/host.js";
import { ALL_COLLECTIONS } from "../kinds/index.js";
import { interfaceKind } from "../kinds/interface.js";
import { serviceKind } from "../kinds/service.js";
import type { EntityDocument } from "./entities.js";
import { ID_KEY, idKeyOf } from "./id-key.js";
import { INDEXES } from "./indexes.js";
import { makeKey } from "./keys.js";
import { addressKeysIn } from "./stores/host-search.js";
import { naturalKey } from "../values/natural-names.rules.js";

/** Collections without an index other than that of their ids. */
const UNINDEXED = ["journal_tail", "journal_secrets", "audit_notes", "audit_note_heads"];

/** The schema migrations. New ones are appended; released ones never change. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "0001-schema", up: createSchema },
  { name: "0002-runners", up: writeRunners },
  { name: "0003-addresses", up: writeAddressKeys },
  { name: "0004-natural-names", up: (db, batchesById) => writeNaturalNames(db, "hosts", batchesById) },
  { name: "0005-marks", up: writeMarks },
  // Builds before it name indexes that are gone, and write entities that have no place in the order of others.
  { name: "0006-short-indexes", breaksOlder: true, up: shortenIndexes },
  {
    ...{ name: "0007-natural-service-names", breaksOlder: true },
    up: (db, batchesById) => writeNaturalNames(db, "services", batchesById),
  },
];

/** Every collection, and the permanent keys of cursors and for the secrets of webhooks. */
async function createSchema(db: Db): Promise<void> {
  await createCollections(db, [...Object.keys(INDEXES), ...UNINDEXED]);
  await makeKey(db, "cursors", 16);
  await makeKey(db, "webhooks", 32);
}

/** What virtualized entities have in their JSON. */
const VIRTUALIZED = /"virtualization":\{/;

/** Adds to virtualized hosts and services the facets by which what runs on something is found. */
async function writeRunners(db: Db, batchesById: BatchesById): Promise<void> {
  const facetsOf = {
    hosts: (wire: string) => hostKind.keysOf(JSON.parse(wire) as HostRecord)["facets"],
    services: (wire: string) => serviceKind.keysOf(JSON.parse(wire) as Service)["facets"],
  };
  for (const [name, facetsIn] of Object.entries(facetsOf)) {
    const entities = db.collection<EntityDocument & { facets?: unknown }>(name);
    for await (const batch of batchesById(entities, { wire: VIRTUALIZED })) {
      const updates = batch.map(({ _id, wire }) => ({
        // A concurrent change has already written them.
        updateOne: { filter: { _id, wire }, update: { $set: { facets: facetsIn(wire) } } },
      }));
      await entities.bulkWrite(updates, { ordered: false });
    }
  }
}

/** What interfaces with a vendor have in their JSON. */
const OF_VENDOR = /"observed":\{"vendor":\{/;

/** Adds the keys of addresses by which hosts are found, and the facets of interfaces with a vendor. */
async function writeAddressKeys(db: Db, batchesById: BatchesById): Promise<void> {
  const hosts = db.collection<EntityDocument & { addresses: string; address_keys?: readonly string[] }>("hosts");
  for await (const batch of batchesById(hosts, { address_keys: { $exists: false } })) {
    const updates = batch.map(({ _id, addresses }) => ({
      updateOne: { filter: { _id, addresses }, update: { $set: { address_keys: addressKeysIn(addresses) } } },
    }));
    await hosts.bulkWrite(updates, { ordered: false });
  }
  const interfaces = db.collection<EntityDocument & { facets?: unknown }>("interfaces");
  for await (const batch of batchesById(interfaces, { wire: OF_VENDOR })) {
    const updates = batch.map(({ _id, wire }) => {
      const { facets } = interfaceKind.keysOf(JSON.parse(wire) as Interface);
      return { updateOne: { filter: { _id, wire }, update: { $set: { facets } } } };
    });
    await interfaces.bulkWrite(updates, { ordered: false });
  }
}

/** Adds the keys by which a collection is listed in the natural order of names. */
async function writeNaturalNames(db: Db, collection: "hosts" | "services", batchesById: BatchesById): Promise<void> {
  const entities = db.collection<EntityDocument & { name: string; name_key?: string }>(collection);
  for await (const batch of batchesById(entities, { name_key: { $exists: false } })) {
    const updates = batch.map(({ _id, name }) => ({
      updateOne: { filter: { _id, name }, update: { $set: { name_key: naturalKey(name) } } },
    }));
    await entities.bulkWrite(updates, { ordered: false });
  }
}

/** What hosts with a serial number have in their JSON. */
const WITH_SERIAL = /"serial":\{/;

/** Adds to hosts with a serial number the keys by which imports find them. */
async function writeMarks(db: Db, batchesById: BatchesById): Promise<void> {
  const hosts = db.collection<EntityDocument & { marks?: unknown }>("hosts");
  for await (const batch of batchesById(hosts, { wire: WITH_SERIAL })) {
    const updates = batch.map(({ _id, wire }) => {
      const { marks } = hostKind.keysOf(JSON.parse(wire) as HostRecord);
      return { updateOne: { filter: { _id, wire }, update: { $set: { marks } } } };
    });
    await hosts.bulkWrite(updates, { ordered: false });
  }
}

/** Adds the keys of ids, with which orders end, and drops the indexes that end with ids, or that nothing needs. */
async function shortenIndexes(db: Db, batchesById: BatchesById): Promise<void> {
  for (const name of ALL_COLLECTIONS) {
    const entities = db.collection<EntityDocument>(name);
    for await (const batch of batchesById(entities, { [ID_KEY]: { $exists: false } })) {
      const updates = batch.map(({ _id }) => ({
        updateOne: { filter: { _id }, update: { $set: { [ID_KEY]: idKeyOf(_id) } } },
      }));
      await entities.bulkWrite(updates, { ordered: false });
    }
    await dropOtherIndexes(db, { [name]: INDEXES[name] ?? [] });
  }
}

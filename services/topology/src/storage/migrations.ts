import type { Collection, Db } from "mongodb";
import type { HostRecord, Interface, Network, Service, Subnet } from "@nts/shared/contract";
import { isDuplicateKey } from "@nts/shared/mongo/faults";
import { type BatchesById, createCollections, type Migration } from "@nts/shared/mongo/migrations";
import { composed, folded } from "@nts/shared/contract/folding.rules";
import { firstAddressIn, hostSearchFields } from "./stores/host-search.js";
import { subnetSearchText } from "../kinds/subnet.js";
import { tagKeyOf } from "../kinds/tag.js";
import { INDEXES } from "./indexes.js";
import { makeKey } from "./keys.js";
import { hostLabel } from "../values/host-names.rules.js";
import { searchTextOf } from "../values/search.rules.js";
import type { EntityDocument } from "./entities.js";

/** The schema migrations. New ones are appended; released ones never change. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "0001-collections", up: (db) => createCollections(db, Object.keys(INDEXES)) },
  { name: "0002-search", up: fillSearch },
  { name: "0003-mac-addresses", up: writeMacAddresses },
  { name: "0004-composed-texts", up: composeTexts },
  { name: "0005-deletions", up: (db) => createCollections(db, ["deletions"]) },
  { name: "0006-free-addresses", up: (db) => createCollections(db, ["free_addresses"]) },
  { name: "0007-journal", up: prepareJournal },
  { name: "0008-webhooks", up: prepareWebhooks },
  { name: "0009-audit-notes", up: (db) => createCollections(db, ["audit_notes", "audit_note_heads"]) },
  { name: "0010-host-labels", up: writeHostLabels },
  { name: "0011-search-in-networks", up: fillSearchInNetworks },
  { name: "0012-folded-tag-names", up: foldTagNames },
  { name: "0013-folded-search", up: foldSearch },
  { name: "0014-first-addresses", up: writeFirstAddresses },
];

/** The journal's collections, with the permanent key of its cursors. */
async function prepareJournal(db: Db): Promise<void> {
  await createCollections(db, ["journal", "journal_notes", "journal_gone", "journal_tail", "journal_secrets"]);
  await makeKey(db, "cursors", 16);
}

/** The webhooks' collections, with the key for their secrets. */
async function prepareWebhooks(db: Db): Promise<void> {
  await createCollections(db, ["webhooks", "webhook_states", "webhook_deliveries"]);
  await makeKey(db, "webhooks", 32);
}

type Stored = Collection<EntityDocument>;

/** Adds the search text to hosts and services without one. */
async function fillSearch(db: Db, batchesById: BatchesById): Promise<void> {
  const missing = { search: { $exists: false } };
  const services: Stored = db.collection("services");
  for await (const batch of batchesById(services, missing))
    await setWhereUnchanged(services, batch, ({ wire }) => {
      const { name, service_definition } = JSON.parse(wire) as Service;
      return { search: searchTextOf(name, service_definition) };
    });
  const hosts: Stored = db.collection("hosts");
  const interfaces: Stored = db.collection("interfaces");
  for await (const batch of batchesById(hosts, missing)) {
    const ids = batch.map(({ _id }) => _id);
    const found = await interfaces.find({ host_id: { $in: ids } }).toArray();
    const onHost = new Map<string, Interface[]>(ids.map((id) => [id, []]));
    for (const { host_id, wire } of found) onHost.get(String(host_id))?.push(JSON.parse(wire) as Interface);
    await setWhereUnchanged(hosts, batch, ({ _id, wire }) =>
      hostSearchFields(JSON.parse(wire) as HostRecord, onHost.get(_id) ?? []),
    );
  }
}

/** Adds the MAC address field to interfaces, for lookups. */
async function writeMacAddresses(db: Db, batchesById: BatchesById): Promise<void> {
  const interfaces: Stored = db.collection("interfaces");
  for await (const batch of batchesById(interfaces, { mac_address: { $exists: false } }))
    await setWhereUnchanged(interfaces, batch, ({ wire }) => {
      const { mac_address } = JSON.parse(wire) as Interface;
      return { mac_address };
    });
}

/** Adds lookup fields to hosts with a hostname. */
async function writeHostLabels(db: Db, batchesById: BatchesById): Promise<void> {
  const hosts: Stored = db.collection("hosts");
  for await (const batch of batchesById(hosts, { host_label: { $exists: false } }))
    await setWhereUnchanged(hosts, batch, ({ wire }) => ({
      host_label: hostLabel((JSON.parse(wire) as HostRecord).hostname),
    }));
}

/** Adds the search text to networks and subnets without one. */
async function fillSearchInNetworks(db: Db, batchesById: BatchesById): Promise<void> {
  const missing = { search: { $exists: false } };
  const networks: Stored = db.collection("networks");
  for await (const batch of batchesById(networks, missing))
    await setWhereUnchanged(networks, batch, ({ wire }) => ({
      search: searchTextOf((JSON.parse(wire) as Network).name),
    }));
  const subnets: Stored = db.collection("subnets");
  for await (const batch of batchesById(subnets, missing))
    await setWhereUnchanged(subnets, batch, ({ wire }) => ({ search: subnetSearchText(JSON.parse(wire) as Subnet) }));
}

/** A concurrent change has already written the fields. */
async function setWhereUnchanged(
  collection: Stored,
  batch: readonly EntityDocument[],
  fieldsOf: (document: EntityDocument) => Partial<EntityDocument>,
): Promise<void> {
  const updates = batch.map((one) => {
    const { _id, wire } = one;
    return { updateOne: { filter: { _id, wire }, update: { $set: fieldsOf(one) } } };
  });
  await collection.bulkWrite(updates, { ordered: false });
}

const BEYOND_ASCII = /[^\x00-\x7f]/; // oxlint-disable-line no-control-regex -- it is what is looked for

/** Normalizes search and filter fields to one Unicode form; ASCII is unaffected. */
async function composeTexts(db: Db, batchesById: BatchesById): Promise<void> {
  for (const kind of ["networks", "subnets", "hosts", "services"]) {
    const entities = db.collection<EntityDocument & { search?: string; tags: string[] }>(kind);
    const beyondAscii = { $or: [{ tags: BEYOND_ASCII }, { search: BEYOND_ASCII }] };
    for await (const batch of batchesById(entities, beyondAscii)) {
      const updates = batch.map(({ _id, search, tags }) => {
        const texts = { tags: tags.map(composed), ...(search !== undefined && { search: composed(search) }) };
        // A concurrent change has already written both.
        const filter = { _id, tags, ...(search !== undefined && { search }) };
        return { updateOne: { filter, update: { $set: texts } } };
      });
      await entities.bulkWrite(updates, { ordered: false });
    }
  }
}

/** Gives tags the key that ignores the case of all letters. Where two tags would have the same, one keeps its own. */
async function foldTagNames(db: Db, batchesById: BatchesById): Promise<void> {
  const tags: Stored = db.collection("tags");
  for await (const batch of batchesById(tags, { name: BEYOND_ASCII }))
    for (const { _id, name } of batch)
      // A concurrent change has already written both.
      await tags.updateOne({ _id, name }, { $set: { name_key: tagKeyOf(String(name)) } }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
}

/** Folds search texts as searches do now, and the keys of tags with them. */
async function foldSearch(db: Db, batchesById: BatchesById): Promise<void> {
  for (const kind of ["networks", "subnets", "hosts", "services"]) {
    const entities = db.collection<EntityDocument & { search: string }>(kind);
    for await (const batch of batchesById(entities, { search: BEYOND_ASCII })) {
      const updates = batch.map(({ _id, search }) => ({
        updateOne: { filter: { _id, search }, update: { $set: { search: folded(search) } } },
      }));
      await entities.bulkWrite(updates, { ordered: false });
    }
  }
  await foldTagNames(db, batchesById);
}

/** Adds the address by which hosts are ordered. */
async function writeFirstAddresses(db: Db, batchesById: BatchesById): Promise<void> {
  const hosts = db.collection<EntityDocument & { addresses: string }>("hosts");
  for await (const batch of batchesById(hosts, { first_address: { $exists: false }, addresses: { $exists: true } })) {
    const updates = batch.map(({ _id, addresses }) => {
      const update = { $set: { first_address: firstAddressIn(addresses) } };
      return { updateOne: { filter: { _id, addresses, first_address: { $exists: false } }, update } };
    });
    await hosts.bulkWrite(updates, { ordered: false });
  }
}

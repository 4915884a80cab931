import type { Db } from "mongodb";
import type { HostRecord, Interface, Service } from "@nts/shared/contract";
import { createCollections, type Migration } from "@nts/shared/mongo/migrations";
import { hostSearchFields } from "./hosts/search.js";
import { INDEXES } from "./indexes.js";
import { searchTextOf } from "./search.js";
import type { EntityDocument } from "./storage/entities.js";

/** The history of the schema. New steps are added at the end; released ones stay as they are. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "0001-collections", up: (db) => createCollections(db, Object.keys(INDEXES)) },
  { name: "0002-search", up: fillSearch },
  { name: "0003-mac-addresses", up: writeMacAddresses },
];

/** Gives hosts and services that have none the text that searches look in. */
async function fillSearch(db: Db): Promise<void> {
  const missing = { search: { $exists: false } };
  const services = db.collection<EntityDocument>("services");
  for await (const { _id, wire } of services.find(missing)) {
    const { name, service_definition } = JSON.parse(wire) as Service;
    await services.updateOne({ _id }, { $set: { search: searchTextOf(name, service_definition) } });
  }
  const hosts = db.collection<EntityDocument>("hosts");
  for await (const { _id, wire } of hosts.find(missing)) {
    const host = JSON.parse(wire) as HostRecord;
    const found = await db.collection<EntityDocument>("interfaces").find({ host_id: _id }).toArray();
    const interfaces = found.map((one) => JSON.parse(one.wire) as Interface);
    await hosts.updateOne({ _id }, { $set: hostSearchFields(host, interfaces) });
  }
}

const BATCH = 1_000;

/** Puts the MAC address of each interface beside its text, so that it can be looked up. */
async function writeMacAddresses(db: Db): Promise<void> {
  const interfaces = db.collection<{ _id: string; wire: string; mac_address?: string | null }>("interfaces");
  for (;;) {
    const found = await interfaces.find({ mac_address: { $exists: false } }, { limit: BATCH }).toArray();
    if (found.length === 0) return;
    await interfaces.bulkWrite(
      found.map(({ _id, wire }) => {
        const { mac_address } = JSON.parse(wire) as Interface;
        // Whoever has changed the interface meanwhile has written the field.
        return { updateOne: { filter: { _id, wire }, update: { $set: { mac_address } } } };
      }),
    );
  }
}

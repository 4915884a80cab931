import type { ClientSession, Db, Document } from "mongodb";
import type { HostRecord, Interface } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { searchTextOf } from "../../values/search.rules.js";
import type { EntityDocument } from "../entities.js";
import { within } from "../scope.js";
import { scopedCollection } from "../scoped-collection.js";

// Hosts are found by the addresses of their interfaces, too. A host therefore keeps them beside its own fields: `addresses`,
// one to a line, each after a line break, and `search`, its own values followed by them. The stores of hosts and interfaces
// keep both; every writer locks the host.

/** What stands before the addresses that were kept last. */
const OWN_TEXT: Document = {
  $substrBytes: ["$search", 0, { $subtract: [{ $strLenBytes: "$search" }, { $strLenBytes: "$addresses" }] }],
};

/** Keeps the searched texts of hosts. */
export interface HostSearch {
  /** The hosts have got other names or hostnames. */
  renamed(tx: ClientSession, scope: Scope, hosts: readonly HostRecord[]): Promise<void>;
  /** Interfaces have been added to hosts that did not know of them. */
  added(tx: ClientSession, scope: Scope, interfaces: readonly Interface[]): Promise<void>;
  /** Interfaces of these hosts have changed, or are gone. */
  changed(tx: ClientSession, scope: Scope, hostIds: readonly string[]): Promise<void>;
}

export function createHostSearch(db: Db): HostSearch {
  const hosts = scopedCollection<EntityDocument>(db, "hosts");
  const interfaces = scopedCollection<EntityDocument>(db, "interfaces");

  async function set(tx: ClientSession, scope: Scope, fields: ReadonlyMap<string, Document>): Promise<void> {
    if (fields.size === 0) return;
    const updates = [...fields].map(([_id, $set]) => ({
      updateOne: { filter: { ...within(scope), _id }, update: [{ $set }] },
    }));
    await hosts.bulkWrite(updates, { session: tx });
  }

  return {
    renamed: (tx, scope, renamed) => {
      const textOf = (host: HostRecord): Document => ({
        search: { $concat: [literal(ownTextOf(host)), "$addresses"] },
      });
      return set(tx, scope, new Map(renamed.map((host) => [host.id, textOf(host)])));
    },
    added: (tx, scope, added) => {
      const withLines = (field: string, lines: string): Document => ({ $concat: [`$${field}`, literal(lines)] });
      const longer = [...linesByHost(added)].map(
        ([id, lines]) =>
          [id, { search: withLines("search", lines), addresses: withLines("addresses", lines) }] as const,
      );
      return set(tx, scope, new Map(longer));
    },
    changed: async (tx, scope, hostIds) => {
      const ids = [...new Set(hostIds)];
      const found = await interfaces
        .find({ ...within(scope), host_id: { $in: ids } }, { session: tx, projection: { _id: 0, wire: 1 } })
        .toArray();
      const lines = linesByHost(found.map(({ wire }) => JSON.parse(wire) as Interface));
      const textOf = (id: string): Document => {
        const addresses = literal(lines.get(id) ?? "");
        return { search: { $concat: [OWN_TEXT, addresses] }, addresses };
      };
      return set(tx, scope, new Map(ids.map((id) => [id, textOf(id)])));
    },
  };
}

/** An interface as far as searching looks at it. */
export type Addressed = Pick<Interface, "host_id" | "ip_address">;

/** What a host keeps to be searched in, to fill it in or to check it. @param interfaces of this host, and others */
export function hostSearchFields(
  host: HostRecord,
  interfaces: readonly Addressed[],
): { search: string; addresses: string } {
  const addresses = linesByHost(interfaces).get(host.id) ?? "";
  return { search: ownTextOf(host) + addresses, addresses };
}

function ownTextOf({ name, hostname }: HostRecord): string {
  return searchTextOf(name, hostname);
}

function linesByHost(interfaces: readonly Addressed[]): Map<string, string> {
  const lines = new Map<string, string>();
  for (const { host_id, ip_address } of interfaces)
    lines.set(host_id, `${lines.get(host_id) ?? ""}\n${searchTextOf(ip_address)}`);
  return lines;
}

/** A text as it is, which could otherwise be read as the name of a field. */
function literal(text: string): Document {
  return { $literal: text };
}

import type { ClientSession, Db, Document } from "mongodb";
import type { HostRecord, Interface } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { parseAddress } from "../../values/addresses.js";
import { searchTextOf } from "../../values/search.rules.js";
import type { EntityDocument } from "../entities.js";
import { BY_ID } from "../indexes.js";
import { within } from "../scope.js";
import { scopedCollection } from "../scoped-collection.js";

// Hosts are also found and ordered by address, so their documents have `addresses`, one per line, each after a line break,
// `search`, their own values followed by these, and `first_address`, the lowest key. The stores of hosts and interfaces
// maintain them under the host's lock.

/** The `first_address` of hosts without addresses, which come last. */
const NO_ADDRESS = "~";

/** Separates the addresses maintained last. */
const OWN_TEXT: Document = {
  $substrBytes: ["$search", 0, { $subtract: [{ $strLenBytes: "$search" }, { $strLenBytes: "$addresses" }] }],
};

/** Maintains the search texts of hosts. */
export interface HostSearch {
  /** Hosts have changed their names or hostnames. */
  renamed(tx: ClientSession, scope: Scope, hosts: readonly HostRecord[]): Promise<void>;
  /** Interfaces were added to existing hosts. */
  added(tx: ClientSession, scope: Scope, interfaces: readonly Interface[]): Promise<void>;
  /** Interfaces of these hosts have changed or were deleted. */
  changed(tx: ClientSession, scope: Scope, hostIds: readonly string[]): Promise<void>;
}

export function createHostSearch(db: Db): HostSearch {
  const hosts = scopedCollection<EntityDocument>(db, "hosts");
  const interfaces = scopedCollection<EntityDocument>(db, "interfaces");

  async function set(tx: ClientSession, scope: Scope, fields: ReadonlyMap<string, Document>): Promise<void> {
    if (fields.size === 0) return;
    const updates = [...fields].map(([_id, $set]) => ({
      updateOne: { filter: { ...within(scope), _id }, update: [{ $set }], hint: BY_ID },
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
      const first = (lines: string): Document => ({ $min: ["$first_address", literal(firstAddressIn(lines))] });
      const longer = [...linesByHost(added)].map(
        ([id, lines]) =>
          [
            id,
            {
              search: withLines("search", lines),
              addresses: withLines("addresses", lines),
              first_address: first(lines),
            },
          ] as const,
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
        const found = lines.get(id) ?? "";
        const addresses = literal(found);
        const first_address = literal(firstAddressIn(found));
        return { search: { $concat: [OWN_TEXT, addresses] }, addresses, first_address };
      };
      return set(tx, scope, new Map(ids.map((id) => [id, textOf(id)])));
    },
  };
}

/** The searched parts of an interface. */
export type Addressed = Pick<Interface, "host_id" | "ip_address">;

/** The search fields of a host, to add or check them. @param interfaces of this host and others */
export function hostSearchFields(
  host: HostRecord,
  interfaces: readonly Addressed[],
): { search: string; addresses: string; first_address: string } {
  const addresses = linesByHost(interfaces).get(host.id) ?? "";
  return { search: ownTextOf(host) + addresses, addresses, first_address: firstAddressIn(addresses) };
}

/** The lowest key in the `addresses` of a host. */
function firstAddressIn(addresses: string): string {
  let first = NO_ADDRESS;
  for (const address of addresses.split("\n").filter((line) => line !== "")) {
    const { key } = parseAddress(address);
    if (key < first) first = key;
  }
  return first;
}

function ownTextOf({ name, hostname, observed }: HostRecord): string {
  return searchTextOf(name, hostname, observed?.vendor?.value ?? null, observed?.model?.value ?? null);
}

function linesByHost(interfaces: readonly Addressed[]): Map<string, string> {
  const lines = new Map<string, string>();
  for (const { host_id, ip_address } of interfaces)
    lines.set(host_id, `${lines.get(host_id) ?? ""}\n${searchTextOf(ip_address)}`);
  return lines;
}

/** A literal text, which could otherwise be taken for a field path. */
function literal(text: string): Document {
  return { $literal: text };
}

import type { ClientSession, Db, Document } from "mongodb";
import type { HostRecord, Interface } from "@nts/shared/contract";
import { putUnder } from "@nts/shared/groups";
import type { Scope } from "@nts/shared/http/tenancy";
import { type Block, parseAddress } from "../../values/addresses.js";
import { searchTextOf } from "../../values/search.rules.js";
import type { EntityDocument } from "../entities.js";
import { BY_ID } from "../indexes.js";
import { within } from "../scope.js";
import { scopedCollection } from "../scoped-collection.js";

// Hosts are also found and ordered by address, so their documents have `addresses`, one per line, each after a line break,
// `search`, their own values followed by these, `address_keys`, and `first_address`, the lowest of these. The stores of hosts
// and interfaces maintain them under the host's lock.

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
      const longer = [...addressesByHost(added)].map(([id, more]) => {
        const { addresses, address_keys, first_address } = addressFields(more);
        const fields: Document = {
          search: { $concat: ["$search", literal(addresses)] },
          addresses: { $concat: ["$addresses", literal(addresses)] },
          address_keys: { $concatArrays: ["$address_keys", literal(address_keys)] },
          first_address: { $min: ["$first_address", literal(first_address)] },
        };
        return [id, fields] as const;
      });
      return set(tx, scope, new Map(longer));
    },
    changed: async (tx, scope, hostIds) => {
      const ids = [...new Set(hostIds)];
      const found = await interfaces
        .find({ ...within(scope), host_id: { $in: ids } }, { session: tx, projection: { _id: 0, wire: 1 } })
        .toArray();
      const addresses = addressesByHost(found.map(({ wire }) => JSON.parse(wire) as Interface));
      const fieldsOf = (id: string): Document => {
        const fields = Object.entries(addressFields(addresses.get(id) ?? []));
        const now = Object.fromEntries(fields.map(([name, value]) => [name, literal(value)]));
        return { ...now, search: { $concat: [OWN_TEXT, now["addresses"]] } };
      };
      return set(tx, scope, new Map(ids.map((id) => [id, fieldsOf(id)])));
    },
  };
}

/** The searched parts of an interface. */
export type Addressed = Pick<Interface, "host_id" | "ip_address">;

type AddressFields = Readonly<Record<"addresses" | "first_address", string>> & {
  readonly address_keys: readonly string[];
};

/** The search fields of a host, to add or check them. @param interfaces of this host and others */
export function hostSearchFields(
  host: HostRecord,
  interfaces: readonly Addressed[],
): AddressFields & { readonly search: string } {
  const fields = addressFields(addressesByHost(interfaces).get(host.id) ?? []);
  return { ...fields, search: ownTextOf(host) + fields.addresses };
}

/** The condition for hosts with an address in a block. */
export function withinBlock({ first, last }: Pick<Block, "first" | "last">): Document {
  return { address_keys: { $elemMatch: { $gte: first, $lte: last } } };
}

/** The keys of the `addresses` of a host. */
export function addressKeysIn(addresses: string): string[] {
  return keysOf(addresses.split("\n").slice(1));
}

function keysOf(addresses: readonly string[]): string[] {
  return addresses.map((address) => parseAddress(address).key);
}

function addressFields(addresses: readonly string[]): AddressFields {
  const address_keys = keysOf(addresses);
  const [first_address = NO_ADDRESS] = [...address_keys].sort();
  return {
    addresses: addresses.map((address) => `\n${searchTextOf(address)}`).join(""),
    address_keys,
    first_address,
  };
}

function ownTextOf({ name, hostname, observed }: HostRecord): string {
  return searchTextOf(name, hostname, observed?.vendor?.value ?? null, observed?.model?.value ?? null);
}

function addressesByHost(interfaces: readonly Addressed[]): Map<string, string[]> {
  const addresses = new Map<string, string[]>();
  for (const { host_id, ip_address } of interfaces) putUnder(addresses, host_id, ip_address);
  return addresses;
}

/** A literal value, as texts could otherwise be taken for field paths. */
function literal(value: unknown): Document {
  return { $literal: value };
}

import type { ClientSession, Filter } from "mongodb";
import type { Interface } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { parseAddress } from "../../values/addresses.js";
import { createHostSearch } from "./host-search.js";
import { BY_ID, IP_INDEX, MAC_INDEX, INTERFACE_ADDRESSES_INDEX } from "../indexes.js";
import type { AddressStore, Released } from "./addresses.js";
import type { Database } from "../database.js";
import { createEntities, type Entities, type EntityKind, type EntityDocument } from "../entities.js";
import { STORED } from "../entity-reader.js";
import { matching } from "../scope.js";

/** Identities of an interface. */
export interface Identities {
  readonly macAddresses: readonly string[];
  readonly ipAddresses: readonly string[];
}

/** Interfaces. Their addresses are also stored with their hosts. */
export interface InterfaceStore extends Entities<Interface> {
  /** Inserts interfaces together with their hosts. */
  readonly insertWithHosts: Entities<Interface>["insert"];
  /** Interfaces of these remaining hosts were deleted. */
  removedFrom(tx: ClientSession, scope: Scope, hostIds: readonly string[]): Promise<void>;
  /** Frees the addresses of interfaces about to be swept. */
  releaseAddresses(organizationId: string, ids: readonly string[]): Promise<void>;
  /** Whether an interface has an address in one of the subnets. */
  useAny(tx: ClientSession, scope: Scope, subnetIds: readonly string[]): Promise<boolean>;
  /** Interfaces with one of the addresses, unordered. @param scope of listed networks */
  findByIdentity(scope: Scope, identities: Identities, tx?: ClientSession): Promise<Interface[]>;
}

type Placed = Released & { readonly _id: string };
const PLACED = { subnet_id: 1, network_id: 1, ip_key: 1 } as const;

export function createInterfaceStore(
  database: Database,
  addresses: Pick<AddressStore, "release">,
  kind: EntityKind<Interface>,
): InterfaceStore {
  const search = createHostSearch(database.db);
  const entities = createEntities<Interface>(database, kind);

  /** The stored addresses of interfaces that are deleted or changed. */
  async function addressesOf(tx: ClientSession, scope: Scope, filter: Filter<EntityDocument>): Promise<Placed[]> {
    return entities.collection
      .find<Placed>(matching(entities.within(scope), filter), { session: tx, projection: PLACED })
      .toArray();
  }

  return {
    ...entities,
    remove: async (tx, scope, filter) => {
      await addresses.release(scope, await addressesOf(tx, scope, filter), tx);
      return entities.remove(tx, scope, filter);
    },
    insertWithHosts: entities.insert,
    insert: async (tx, scope, inserted, extra) => {
      await entities.insert(tx, scope, inserted, extra);
      await search.added(tx, scope, inserted);
    },
    replace: async (tx, scope, changed, extra) => {
      if (changed.length === 0) return;
      const after = new Map(changed.map(({ entity }) => [entity.id, entity]));
      const before = await addressesOf(tx, scope, { _id: { $in: [...after.keys()] } });
      const left = before.filter(({ _id, subnet_id, ip_key }) => {
        const entity = after.get(_id);
        return entity?.subnet_id !== subnet_id || parseAddress(entity.ip_address).key !== ip_key;
      });
      await addresses.release(scope, left, tx);
      await entities.replace(tx, scope, changed, extra);
      const hostIds = changed.map(({ entity }) => entity.host_id);
      await search.changed(tx, scope, hostIds);
    },
    removedFrom: search.changed,
    releaseAddresses: async (organizationId, ids) => {
      const swept = { organization_id: organizationId, _id: { $in: [...ids] } };
      const found = await entities.collection.find<Placed>(swept, { projection: PLACED, hint: BY_ID }).toArray();
      await addresses.release({ organizationId }, found);
    },
    useAny: async (tx, scope, subnetIds) => {
      const filter = { ...entities.within(scope), subnet_id: { $in: [...subnetIds] } };
      const options = { session: tx, projection: { _id: 1 }, hint: INTERFACE_ADDRESSES_INDEX };
      return (await entities.collection.findOne(filter, options)) !== null;
    },
    findByIdentity: createRecognition(entities),
  };
}

function createRecognition(entities: Entities<Interface>): InterfaceStore["findByIdentity"] {
  return async (scope, { macAddresses, ipAddresses }, tx) => {
    const find = async (filter: object, hint: object): Promise<Interface[]> => {
      const options = { projection: STORED, hint };
      const all = matching(entities.within(scope), filter);
      const found =
        tx === undefined
          ? await entities.select(scope, filter, options)
          : await entities.collection.find(all, { ...options, session: tx }).toArray();
      return found.map((document) => entities.storedIn(document, scope).entity);
    };
    const keys = ipAddresses.map((address) => parseAddress(address).key);
    const byMac = macAddresses.length === 0 ? [] : await find({ mac_address: { $in: macAddresses } }, MAC_INDEX);
    const byIp = await find({ ip_key: { $in: keys } }, IP_INDEX);
    return [...new Map([...byMac, ...byIp].map((one) => [one.id, one])).values()];
  };
}

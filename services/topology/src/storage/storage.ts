import type { Db } from "mongodb";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { createBindingStore, type BindingStore } from "../bindings/store.js";
import { createHostStore, type HostStore } from "../hosts/store.js";
import { createInterfaceStore, type InterfaceStore } from "../interfaces/store.js";
import { createNetworkStore, type NetworkStore } from "../networks/store.js";
import { createPortStore, type PortStore } from "../ports/store.js";
import { createServiceStore, type ServiceStore } from "../services/store.js";
import { createSubnetStore, type SubnetStore } from "../subnets/store.js";
import { createTagStore, type TagStore } from "../tags/store.js";
import { createTopologyStore, type TopologyStore } from "../topology/store.js";
import { createGuards, type Guards } from "./guards.js";

/** All that handlers may use of the database. */
export interface Storage {
  readonly transaction: RunTransaction;
  readonly guards: Guards;
  readonly networks: NetworkStore;
  readonly subnets: SubnetStore;
  readonly hosts: HostStore;
  readonly interfaces: InterfaceStore;
  readonly ports: PortStore;
  readonly services: ServiceStore;
  readonly bindings: BindingStore;
  readonly tags: TagStore;
  readonly topology: TopologyStore;
}

export function createStorage(db: Db, transaction: RunTransaction): Storage {
  const entities = {
    networks: createNetworkStore(db),
    subnets: createSubnetStore(db),
    hosts: createHostStore(db),
    interfaces: createInterfaceStore(db),
    ports: createPortStore(db),
    services: createServiceStore(db),
    bindings: createBindingStore(db),
    tags: createTagStore(db),
  };
  return { transaction, guards: createGuards(db), ...entities, topology: createTopologyStore(db, entities) };
}

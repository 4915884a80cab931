import { BINDING_KIND } from "../bindings/store.js";
import { HOST_KIND } from "../hosts/store.js";
import { INTERFACE_KIND } from "../interfaces/store.js";
import { NETWORK_KIND } from "../networks/store.js";
import { PORT_KIND } from "../ports/store.js";
import { SERVICE_KIND } from "../services/store.js";
import { SUBNET_KIND } from "../subnets/store.js";
import { TAG_KIND } from "../tags/store.js";

/** What is stored of every kind of entity. */
export const KINDS = {
  networks: NETWORK_KIND,
  subnets: SUBNET_KIND,
  hosts: HOST_KIND,
  interfaces: INTERFACE_KIND,
  ports: PORT_KIND,
  services: SERVICE_KIND,
  bindings: BINDING_KIND,
  tags: TAG_KIND,
};

export type Kinds = typeof KINDS;

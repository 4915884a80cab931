import { BINDING_KIND } from "./stores/bindings.js";
import { HOST_KIND } from "./stores/hosts.js";
import { INTERFACE_KIND } from "./stores/interfaces.js";
import { NETWORK_KIND } from "./stores/networks.js";
import { PORT_KIND } from "./stores/ports.js";
import { SERVICE_KIND } from "./stores/services.js";
import { SUBNET_KIND } from "./stores/subnets.js";
import { TAG_KIND } from "./stores/tags.js";

/** The stored fields of every kind of entity. */
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

/** Kinds of entities with tags. */
export const TAGGED_KINDS = (Object.keys(KINDS) as Exclude<keyof Kinds, "bindings">[]).filter(
  (kind) => KINDS[kind].tagged === true,
);

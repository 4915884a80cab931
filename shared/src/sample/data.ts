import type { Attributes, Role } from "../contract/index.js";

// The network of an invented company, which demos and people who try the console get. It is written so that the lists of
// hosts read like an inventory.

export type SubnetKey = "servers" | "office" | "iot" | "dmz";

export interface SampleSubnet {
  readonly key: SubnetKey;
  readonly name: string;
  readonly cidr: string;
  readonly description: string;
  readonly subnet_type: string;
  readonly reserved: readonly { readonly from: string; readonly to: string; readonly purpose: string }[];
}

/** A network card: subnet, address, MAC address and name. */
export type SampleInterface = readonly [subnet: SubnetKey, address: string, mac: string, name: string];

/**
 * A service: name, definition, and ports such as `443/Tcp`, on all interfaces or, with `@0`, on one; without ports it
 * is bound to the first interface.
 */
export type SampleService = readonly [name: string, definition: string, ...ports: string[]];

export interface SampleHost {
  readonly name: string;
  readonly hostname: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly role?: Role;
  readonly attributes?: Attributes;
  readonly interfaces: readonly SampleInterface[];
  readonly services: readonly SampleService[];
  readonly virtualization?: { readonly type: string; readonly details: Readonly<Record<string, string>> };
}

export const NETWORK_NAME = "Head office";

export const SUBNETS: readonly SampleSubnet[] = [
  {
    key: "servers",
    name: "Servers",
    cidr: "10.20.10.0/24",
    description: "Virtual machines, storage and everything that other segments depend on",
    subnet_type: "Lan",
    reserved: [{ from: "10.20.10.1", to: "10.20.10.9", purpose: "Network equipment" }],
  },
  {
    key: "office",
    name: "Office",
    cidr: "10.20.20.0/24",
    description: "Desks, meeting rooms, printers and telephones on both floors",
    subnet_type: "Lan",
    reserved: [
      { from: "10.20.20.1", to: "10.20.20.9", purpose: "Network equipment" },
      { from: "10.20.20.100", to: "10.20.20.199", purpose: "DHCP pool" },
    ],
  },
  {
    key: "iot",
    name: "IoT",
    cidr: "10.20.30.0/24",
    description: "Building technology; may reach Home Assistant and the broker, nothing else",
    subnet_type: "IoT",
    reserved: [{ from: "10.20.30.100", to: "10.20.30.199", purpose: "DHCP pool" }],
  },
  {
    key: "dmz",
    name: "DMZ",
    cidr: "10.20.40.0/26",
    description: "Reached from the internet through the firewall",
    subnet_type: "Dmz",
    reserved: [],
  },
];

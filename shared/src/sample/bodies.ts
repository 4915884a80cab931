import type { BodyInputOf, createHost, createSubnet } from "../contract/index.js";
import { type SampleHost, type SampleService, type SubnetKey, SUBNETS } from "./data.js";
import { DMZ_HOSTS } from "./hosts-dmz.js";
import { OFFICE_HOSTS } from "./hosts-office.js";
import { SERVER_HOSTS } from "./hosts-servers.js";

// The requests that create the sample network: a subnet, or a host with everything on it, each.

/** All hosts; what others run on comes first. */
export const HOSTS: readonly SampleHost[] = [...SERVER_HOSTS, ...DMZ_HOSTS, ...OFFICE_HOSTS];

/** The body of the creation of a subnet, by its key. */
export function subnetBodies(networkId: string): ReadonlyMap<SubnetKey, BodyInputOf<typeof createSubnet>> {
  return new Map(
    SUBNETS.map(({ key, reserved, ...subnet }) => [
      key,
      { ...subnet, reserved: [...reserved], network_id: networkId, tags: [] },
    ]),
  );
}

/** What exists of the network already. */
export interface Surroundings {
  readonly networkId: string;
  readonly subnetIds: ReadonlyMap<SubnetKey, string>;
  /** Ids of hosts by the first label of their host names, by which virtual machines name what they run on. */
  readonly runnerIds: ReadonlyMap<string, string>;
}

/** The first label of a host name, such as `pve1`. */
export function labelOf(hostname: string | null): string {
  return hostname?.split(".")[0] ?? "";
}

/** The body of the creation of a host, with local ids to which bindings refer. */
export function hostBody(host: SampleHost, surroundings: Surroundings): BodyInputOf<typeof createHost> {
  const { interfaces, services, virtualization, tags, ...own } = host;
  const { networkId, subnetIds, runnerIds } = surroundings;
  const runnerId = runnerIds.get(virtualization?.details["node"] ?? "");
  const ports = [...new Set(services.flatMap(([, , ...at]) => at.map(withoutInterface)))];
  return {
    ...own,
    tags: [...tags],
    ...(virtualization && {
      virtualization: {
        type: virtualization.type,
        details: { ...virtualization.details, ...(runnerId !== undefined && { host_id: runnerId }) },
      },
    }),
    network_id: networkId,
    interfaces: interfaces.map(([subnet, ip_address, mac_address, name], index) => ({
      ...{ id: localId("a", index), subnet_id: subnetIds.get(subnet) ?? "" },
      ...{ ip_address, mac_address, name },
    })),
    ports: ports.map((port, index) => {
      const [number, protocol] = port.split("/");
      return { id: localId("b", index), number: Number(number), protocol: protocol === "Udp" ? "Udp" : "Tcp" };
    }),
    services: services.map((service) => {
      const [name, service_definition] = service;
      return { name, service_definition, bindings: bindingsOf(service, ports), tags: [] };
    }),
  };
}

type Bindings = NonNullable<NonNullable<BodyInputOf<typeof createHost>["services"]>[number]["bindings"]>;

function bindingsOf([, , ...at]: SampleService, ports: readonly string[]): Bindings {
  if (at.length === 0) return [{ type: "Interface", interface_id: localId("a", 0) }];
  return at.map((port) => ({
    type: "Port",
    port_id: localId("b", ports.indexOf(withoutInterface(port))),
    interface_id: port.includes("@") ? localId("a", Number(port.split("@")[1])) : null,
  }));
}

/** @param kind of what has the id, so that no two of a body are the same */
function localId(kind: "a" | "b", index: number): string {
  return `00000000-0000-4000-8000-${kind}${String(index).padStart(11, "0")}`;
}

function withoutInterface(port: string): string {
  return port.split("@")[0] ?? port;
}

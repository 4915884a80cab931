/** The work of `bench -- path`: an organization with its services, and the requests of each kind. */
import { aKey, anAccount } from "../support/api.js";
import { mapConcurrently } from "../support/map-concurrently.js";
import type { Stack } from "../support/stack.js";

/** The next request of a load generator. */
export interface NextRequest {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: string;
}

/** One kind of work; `next` makes requests different where an equal one would not be a write. */
export interface Work {
  readonly name: string;
  readonly next: () => NextRequest;
  /** With more connections it is not measured. */
  readonly maxConnections?: number;
  /** How many more requests are possible; absent when unlimited. */
  readonly maxCount?: () => number;
  /** Called with every response. */
  readonly onResponse?: (body: string) => void;
}

/** A system with the data for the work. */
export interface Inventory {
  readonly url: string;
  readonly key: string;
  readonly works: readonly Work[];
}

/** The maximum of concurrent full lists: with more of them none would end within the measurement. */
export const MAX_STREAMS = 16;
const SERVICES_PER_HOST = 5;
const FEW_HOSTS = 40;
const SEEDED_AT_A_TIME = 4;

interface MadeService {
  readonly id: string;
  readonly bindings: readonly { readonly port_id: string }[];
}

interface MadeHost {
  readonly interfaces: readonly { readonly id: string }[];
  readonly services: readonly MadeService[];
}

/** Fills a system through the API, which every build has. */
export async function seedInventory(stack: Stack, services: number): Promise<Inventory> {
  const account = await anAccount(stack.url);
  const { caller, secret } = await aKey(stack.url, account);
  const { id: networkId } = await caller.data<{ id: string }>("post", "/api/v1/networks", { name: "network" });
  const subnet = { network_id: networkId, cidr: "10.0.0.0/8", name: "subnet" };
  const { id: subnetId } = await caller.data<{ id: string }>("post", "/api/v1/subnets", subnet);
  const hostBody = (n: number): object => hostWithServices(networkId, subnetId, n);
  const hosts = await mapConcurrently(services / SERVICES_PER_HOST, SEEDED_AT_A_TIME, (n) =>
    caller.data<MadeHost>("post", "/api/v1/hosts", hostBody(n)),
  );
  const rebound = hosts.slice(0, FEW_HOSTS);
  const renamed = hosts.slice(FEW_HOSTS);
  return {
    url: stack.url,
    key: secret,
    works: [
      gets(hosts.flatMap((host) => host.services)),
      renames(`PUT, a new name, ${services} services`, renamed),
      renames(`PUT, a new name, ${FEW_HOSTS * SERVICES_PER_HOST} services`, renamed.slice(0, FEW_HOSTS)),
      rebinds(rebound),
      list("page of 50", "?limit=50"),
      { ...list(`list of all ${services}`, "?limit=0"), maxConnections: MAX_STREAMS },
      ...createsAndDeletes(hostBody, hosts.length),
    ],
  };
}

/** A host with an interface, and services that are bound to a port each. */
function hostWithServices(networkId: string, subnetId: string, n: number): object {
  const ip_address = `10.${(n >> 14) & 255}.${(n >> 7) & 127}.${(n & 127) + 1}`;
  const portIds = Array.from({ length: SERVICES_PER_HOST }, (_, i) => `00000000-0000-4000-8000-00000000000${i}`);
  return {
    network_id: networkId,
    name: `host ${n}`,
    interfaces: [{ ip_address, subnet_id: subnetId }],
    ports: portIds.map((id, i) => ({ id, number: 8_000 + i, protocol: "Tcp" })),
    services: portIds.map((port_id, i) => ({
      name: `service ${i} of host ${n}`,
      service_definition: "nginx",
      bindings: [{ type: "Port", port_id }],
    })),
  };
}

function gets(services: readonly MadeService[]): Work {
  let n = 0;
  // A step coprime to the number of services visits all of them, neighbours far apart.
  const step = 1_009;
  return {
    name: "GET by id",
    next: () => ({ method: "GET", path: `/api/v1/services/${services[(n++ * step) % services.length]?.id ?? ""}` }),
  };
}

function renames(name: string, hosts: readonly MadeHost[]): Work {
  const services = hosts.flatMap((host) => host.services);
  let n = 0;
  return {
    name,
    next: () => {
      const service = services[(n * 1_009) % services.length];
      return put(service, { name: `name ${++n}` });
    },
  };
}

function rebinds(hosts: readonly MadeHost[]): Work {
  const services = hosts.flatMap(({ services, interfaces }) =>
    services.map((service) => ({ service, port: service.bindings[0]?.port_id, at: interfaces[0]?.id })),
  );
  let n = 0;
  return {
    name: "PUT, changed bindings",
    next: () => {
      const round = Math.floor(n / services.length);
      const { service, port, at } = services[n++ % services.length] ?? {};
      const interface_id = round % 2 === 0 ? at : null;
      return put(service, { bindings: [{ type: "Port", port_id: port, interface_id }] });
    },
  };
}

function put(service: MadeService | undefined, changed: object): NextRequest {
  const body = JSON.stringify({ ...service, ...changed });
  return { method: "PUT", path: `/api/v1/services/${service?.id ?? ""}`, body };
}

function list(name: string, query: string): Work {
  return { name, next: () => ({ method: "GET", path: `/api/v1/services${query}` }) };
}

/** Deletes what it has created. */
function createsAndDeletes(hostBody: (n: number) => object, seeded: number): Work[] {
  const created: string[] = [];
  let n = seeded;
  return [
    {
      name: `POST of a host with ${SERVICES_PER_HOST} services`,
      next: () => ({ method: "POST", path: "/api/v1/hosts", body: JSON.stringify(hostBody(n++)) }),
      onResponse: (body) => {
        const id = /"data":\{"id":"([0-9a-f-]{36})"/.exec(body)?.[1];
        if (id !== undefined) created.push(id);
      },
    },
    {
      name: "DELETE of such a host",
      next: () => ({ method: "DELETE", path: `/api/v1/hosts/${created.pop() ?? "none"}` }),
      maxCount: () => created.length,
    },
  ];
}

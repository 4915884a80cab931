/** One entity of each kind and its operations, for tests that run through all kinds. */
import type { z } from "zod";
import * as contract from "@nts/shared/contract";
import { KINDS_IN_NETWORKS, pluralOf } from "@nts/shared/contract";
import type {
  AnyEndpoint,
  Dependency,
  Host,
  Interface,
  KindInNetwork,
  Link,
  Network,
  PluralOf,
  Port,
  Service,
  Subnet,
} from "@nts/shared/contract";
import { leastOf } from "./members.js";
import type { ServiceResponse, Caller } from "./topology.js";
import { aHost, aNetwork, aService, onPort } from "./topology-world.js";

/** Kinds that a scope of networks limits. */
export type Kind = "networks" | PluralOf<KindInNetwork>;
export const KINDS: readonly Kind[] = ["networks", ...KINDS_IN_NETWORKS.map(pluralOf)];

/** One entity of each kind, in one network, connected with each other. */
export interface OneOfEachKind extends Readonly<Record<Kind, { readonly id: string }>> {
  readonly networks: Network;
  readonly subnets: Subnet;
  readonly links: Link;
  readonly hosts: Host;
  readonly interfaces: Interface;
  readonly ports: Port;
  readonly services: Service;
  readonly dependencies: Dependency;
}

export type Entity = Readonly<Record<string, unknown>> & { readonly id: string };

/** Creates a network with one entity of each kind: the service is bound to the port on the interface. */
export async function createOneOfEachKind(owner: Caller, name = "Home"): Promise<OneOfEachKind> {
  const world = await aNetwork(owner, name);
  const host = await aHost(world, { interfaces: 1, ports: 1 });
  const at = host.interfaces[0]!;
  const port = host.ports[0]!;
  const service = await aService(world, host, { bindings: [onPort(port, at)] });
  const hosts = await owner.call(contract.getHost, { params: host });
  const body = { network_id: world.network.id, client: { host_id: host.id, process: "cron" }, server: endOf(service) };
  const dependencies = await owner.call(contract.createDependency, { body });
  const { id: network_id } = world.network;
  const other = await aHost(world, { name: "switch" });
  const ends = [
    { host_id: host.id, interface_id: at.id },
    { host_id: other.id, port: "1" },
  ];
  const links = await owner.call(contract.createLink, { body: { network_id, ends } });
  const made: Partial<Record<Kind, { readonly id: string }>> = {
    links,
    networks: world.network,
    subnets: world.subnet,
    hosts,
    interfaces: at,
    ports: port,
    services: service,
    dependencies,
  };
  for (const kind of KINDS_IN_NETWORKS) {
    const create = named(`create${kind}`) as typeof contract.createView;
    made[pluralOf(kind)] ??= await owner.call(create, { body: leastOf(kind, { network_id }) as never });
  }
  return made as OneOfEachKind;
}

function endOf({ id: service_id, host_id }: Service): { host_id: string; service_id: string } {
  return { host_id, service_id };
}

const NAME_IN_ERRORS = contract.forPlurals(contract.KIND_NAMES, (name) => name);

/** The operations of a kind, loosely typed for tests that run through all kinds. */
export interface Operations {
  readonly entityName: string;
  list(query?: object): Promise<ServiceResponse<Entity[]>>;
  get(id: string, headers?: Record<string, string>): Promise<ServiceResponse<Entity>>;
  create(body: object): Promise<ServiceResponse<Entity>>;
  /** Creates another one with the same members, without children. */
  createLike(entity: object): Promise<ServiceResponse<Entity>>;
  update(id: string, body: object, headers?: Record<string, string>): Promise<ServiceResponse<Entity>>;
  remove(id: string, headers?: Record<string, string>): Promise<ServiceResponse<null>>;
  removeAll(ids: readonly string[]): Promise<ServiceResponse<unknown>>;
}

function named(name: string): never {
  return (contract as unknown as Record<string, AnyEndpoint>)[name] as never;
}

/** The operations of a kind, on behalf of a caller. */
export function operationsOf(caller: Caller, kind: Kind): Operations {
  const entityName = NAME_IN_ERRORS[kind];
  const several = kind.replace(/^./, (first) => first.toUpperCase());
  const send = caller.send as (operation: never, input: object) => Promise<ServiceResponse<never>>;
  return {
    entityName,
    list: (query = {}) => send(named(`list${several}`), { query }),
    get: (id, headers = {}) => send(named(`get${entityName}`), { params: { id }, headers }),
    create: (body) => send(named(`create${entityName}`), { body }),
    createLike: (entity) =>
      send(named(`create${entityName}`), { body: bodyLike(named(`create${entityName}`), entity) }),
    update: (id, body, headers = {}) => send(named(`update${entityName}`), { params: { id }, body, headers }),
    remove: (id, headers = {}) => send(named(`delete${entityName}`), { params: { id }, headers }),
    removeAll: (ids) => send(named(`bulkDelete${several}`), { body: ids }),
  };
}

function bodyLike({ body }: AnyEndpoint, entity: object): object {
  const members = Object.keys((body as z.ZodObject).shape).filter((name) => !KINDS.some((kind) => kind === name));
  return Object.fromEntries(Object.entries(entity).filter(([name]) => members.includes(name)));
}

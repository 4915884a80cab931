import type { Dependency } from "@nts/shared/contract";

// What the ends of dependencies and links name. The fields of its document are lists, in which filters by one id find both ends.

export type Ends = Pick<Dependency, "client" | "server">;

/** The ids that dependencies name, by document field. */
export interface Named {
  readonly host_id: readonly string[];
  readonly service_id: readonly string[];
  readonly port_id: readonly string[];
}

export function namedBy({ client, server }: Ends): Named {
  return {
    host_id: [...new Set([client.host_id, server.host_id])],
    service_id: [client.service_id, server.service_id].flatMap((id) => id ?? []),
    port_id: server.port_id === null ? [] : [server.port_id],
  };
}

/** All ids that some ends name. */
export function idsNamedBy(ends: readonly Ends[]): string[] {
  return [
    ...new Set(
      ends.map(namedBy).flatMap(({ host_id, service_id, port_id }) => [...host_id, ...service_id, ...port_id]),
    ),
  ];
}

/** The same for two dependencies of one client on one server. */
export function endsKeyOf({ client, server }: Ends): string {
  return [
    [client.host_id, client.service_id, client.process].map((part) => part ?? "").join(" "),
    [server.host_id, server.service_id, server.port_id].map((part) => part ?? "").join(" "),
  ].join(" > ");
}

/** A host, a service, or a process of a host. */
export interface Place {
  readonly kind: "host" | "service" | "process";
  /** Of a process, its host. */
  readonly id: string;
  /** The name of a process. */
  readonly process?: string;
}

export const hostAt = (id: string): Place => ({ kind: "host", id });
export const serviceAt = (id: string): Place => ({ kind: "service", id });

export function clientOf({ client: { host_id, service_id, process } }: Ends): Place {
  if (service_id !== null) return serviceAt(service_id);
  return process === null ? hostAt(host_id) : { kind: "process", id: host_id, process };
}

export function serverOf({ server: { host_id, service_id } }: Ends): Place {
  return service_id === null ? hostAt(host_id) : serviceAt(service_id);
}

const UUID_LENGTH = 36;

export function keyOf({ kind, id, process = "" }: Place): string {
  return `${kind[0] ?? ""}${id}${process}`;
}

export function placeIn(key: string): Place {
  const id = key.slice(1, UUID_LENGTH + 1);
  if (key.startsWith("p")) return { kind: "process", id, process: key.slice(UUID_LENGTH + 1) };
  return key.startsWith("h") ? hostAt(id) : serviceAt(id);
}

/** Whether it says that something depends on itself, or on the host that it is on. */
export function isOfItself({ client, server }: Ends): boolean {
  if (client.host_id !== server.host_id) return false;
  if (client.service_id === null || server.service_id === null) return client.process === null;
  return client.service_id === server.service_id;
}

/** Its ends with other ids. */
export function renamed<T extends Ends>(dependency: T, nameOf: (id: string) => string): T {
  const { client, server } = dependency;
  const orNull = (id: string | null): string | null => (id === null ? null : nameOf(id));
  return {
    ...dependency,
    client: { ...client, host_id: nameOf(client.host_id), service_id: orNull(client.service_id) },
    server: {
      host_id: nameOf(server.host_id),
      service_id: orNull(server.service_id),
      port_id: orNull(server.port_id),
    },
  };
}

/** Members by which an entity is on hosts, or between them. */
export interface Placed {
  readonly network_id?: string | null;
  readonly host_id?: string;
  /** Of a dependency. */
  readonly client?: { readonly host_id: string };
  readonly server?: { readonly host_id: string };
  /** Of a link. */
  readonly ends?: readonly { readonly host_id: string }[];
}

/** The hosts with any of which an entity disappears. */
export function hostsOf({ host_id, client, server, ends = [] }: Placed): string[] {
  return [host_id, ...[client, server, ...ends].map((end) => end?.host_id)].flatMap((id) => id ?? []);
}

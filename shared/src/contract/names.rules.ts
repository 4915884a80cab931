import type { Dependency } from "./dependencies.js";
import type { LinkEnd } from "./links.js";

/** Display name of an entity: its name, else its address, or its number and protocol, or the ports that it connects; otherwise empty. */
export function nameOf({ name, ip_address, number, protocol, ends }: Readonly<Record<string, unknown>>): string {
  if (typeof name === "string" && name !== "") return name;
  if (typeof ip_address === "string") return ip_address;
  if (Array.isArray(ends))
    return (ends as readonly { readonly port?: string | null }[]).map(({ port }) => port ?? "?").join(" – ");
  return typeof number === "number" && typeof protocol === "string" ? `${number}/${protocol}` : "";
}

/** The ends of a dependency by name. */
export interface NamedEnds {
  readonly client: {
    readonly host_name: string;
    readonly service_name: string | null;
    readonly process: string | null;
  };
  /** The port such as `443/tcp`. */
  readonly server: { readonly host_name: string; readonly service_name: string | null; readonly port: string | null };
}

/** As people read it: `nginx on web → PostgreSQL on db:5432`. */
export function dependencyText({ client, server }: NamedEnds): string {
  const named = (name: string | null, host: string): string => (name === null ? host : `${name} on ${host}`);
  const number = server.port === null ? "" : `:${server.port.replace(/\/tcp$/, "")}`;
  return `${named(client.service_name ?? client.process, client.host_name)} → ${named(server.service_name, server.host_name)}${number}`;
}

/** A dependency, or a link. */
export type Between = Partial<Pick<Dependency, "client" | "server">> & {
  readonly ends?: readonly Pick<LinkEnd, "host_id" | "port">[];
};

/** Such as `nginx on web → PostgreSQL on db:5432`, or `nas eth0 – core 24`. */
export function nameBetween(
  { client, server, ends = [] }: Between,
  nameOfId: (id: string) => string | undefined,
): string {
  const orNull = (id: string | null): string | null => (id === null ? null : (nameOfId(id) ?? null));
  const hostAt = ({ host_id }: { readonly host_id: string }): string => nameOfId(host_id) ?? "?";
  if (client === undefined || server === undefined)
    return ends.map((end) => [hostAt(end), ...(end.port === null ? [] : [end.port])].join(" ")).join(" – ");
  const { process, service_id } = client;
  return dependencyText({
    client: { host_name: hostAt(client), service_name: orNull(service_id), process },
    server: {
      host_name: hostAt(server),
      service_name: orNull(server.service_id),
      port: orNull(server.port_id)?.toLowerCase() ?? null,
    },
  });
}

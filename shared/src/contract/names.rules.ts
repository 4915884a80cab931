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

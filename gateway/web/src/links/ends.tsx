import { Anchor } from "@mantine/core";
import { type Host, type Link, type LinkEnd, listHosts } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { Link as RouterLink } from "react-router";
import { useRows } from "../api/queries.js";
import { hostPath } from "../paths.js";

export type HostsById = ReadonlyMap<string, Host>;

/** The hosts at the ends of links. */
export function useHostsOf(links: readonly Link[]): HostsById {
  const ids = [...new Set(links.flatMap(({ ends }) => ends.map(({ host_id }) => host_id)))];
  const hosts = useRows(listHosts, { query: { ids, limit: 1000 } }, { enabled: ids.length > 0 }).data?.data ?? [];
  return new Map(hosts.map((host) => [host.id, host]));
}

/** Where at its host a link ends: the name of the port or interface, or an address; empty if unknown. */
export function portText({ host_id, interface_id, port }: LinkEnd, hosts: HostsById): string {
  const one = hosts.get(host_id)?.interfaces.find(({ id }) => id === interface_id);
  return port ?? one?.name ?? one?.ip_address ?? "";
}

/** A link for messages, such as `nas eth0 – core 24`. */
export function linkText({ ends }: Link, hosts: HostsById): string {
  return ends.map((end) => `${hosts.get(end.host_id)?.name ?? "…"} ${portText(end, hosts)}`.trim()).join(" – ");
}

/** A host and its port. */
export function EndText({ end, hosts }: { readonly end: LinkEnd; readonly hosts: HostsById }): ReactNode {
  return (
    <>
      <Anchor component={RouterLink} to={hostPath(end.host_id)} size="sm" fw={600}>
        {hosts.get(end.host_id)?.name ?? "…"}
      </Anchor>{" "}
      <span className="mono">{portText(end, hosts)}</span>
    </>
  );
}

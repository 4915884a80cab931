import type { Host, Network, Service, Subnet } from "@nts/shared/contract";
import { folded } from "@nts/shared/contract/folding.rules";
import { detailBeside } from "../parts/detail.js";
import { hostPath, networkPath, PATHS, servicePath, subnetPath } from "../paths.js";
import { boundOf, socketsOf } from "../sockets/sockets.js";

// The entries of the palette.

export interface Entry {
  readonly id: string;
  readonly label: string;
  /** Distinguishes entries with the same label. */
  readonly detail: string;
  readonly run: () => void;
}

export interface Section {
  readonly label: string;
  readonly entries: readonly Entry[];
}

/** Maximum rows per kind; lists show more. */
export const MOST = 5;

/** Entries whose labels contain every word of a text. */
export function matching(entries: readonly Entry[], text: string): Entry[] {
  const words = folded(text).split(/\s+/).filter(Boolean);
  return entries.filter(({ label }) => words.every((word) => folded(label).includes(word)));
}

/** The first ones whose names contain a text. */
export function having<T extends { readonly name: string }>(all: readonly T[], text: string): T[] {
  const requested = folded(text);
  return all.filter(({ name }) => folded(name).includes(requested)).slice(0, MOST);
}

/** Navigates to a path. */
export type Go = (path: string) => void;

export function hostEntries(hosts: readonly Host[], go: Go): Entry[] {
  return hosts.map(({ id, name, hostname, interfaces }) => ({
    id,
    label: name,
    detail: detailBeside(name, interfaces[0]?.ip_address ?? hostname),
    run: () => go(hostPath(id)),
  }));
}

/** @param hosts of the services, as far as loaded */
export function serviceEntries(services: readonly Service[], hosts: ReadonlyMap<string, Host>, go: Go): Entry[] {
  return services.map(({ id, name, service_definition, bindings, host_id }) => {
    const host = hosts.get(host_id);
    const addresses = host?.interfaces.map(({ ip_address }) => ip_address) ?? [];
    const [socket] = host === undefined ? [] : socketsOf(service_definition, boundOf(bindings, host), addresses);
    const detail = [host && `on ${host.name}`, socket?.text].filter(Boolean).join(" · ");
    return { id, label: name, detail, run: () => go(servicePath(id)) };
  });
}

export function subnetEntries(subnets: readonly Subnet[], go: Go): Entry[] {
  return subnets.map(({ id, name, cidr }) => ({
    id,
    label: name,
    detail: detailBeside(name, cidr),
    run: () => go(subnetPath(id)),
  }));
}

/** The page of each network, and its part of the map. @param choose selects a network */
export function networkEntries(networks: readonly Network[], choose: (id: string) => void, go: Go): Entry[] {
  return networks.flatMap(({ id, name }) => [
    { id, label: name, detail: "Network", run: () => go(networkPath(id)) },
    {
      id: `${id} map`,
      label: name,
      detail: "Show on map",
      run: () => {
        choose(id);
        go(PATHS.topology);
      },
    },
  ]);
}

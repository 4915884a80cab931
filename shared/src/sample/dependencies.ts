import type { z } from "zod";
import type { DependencyCreate } from "../contract/dependencies.js";

/** A host's service, such as `Database 1: PostgreSQL`; with a port, such as `Database 1: PostgreSQL 5432/Tcp`. */
type End = readonly [host: string, service: string, port?: string];

/** What needs what in the sample network, and what for. */
export const DEPENDENCIES: readonly (readonly [client: End, server: End, note: string | null])[] = [
  [["Web proxy", "nginx"], ["Web shop", "WordPress", "8080/Tcp"], "shop.example.com"],
  [["Web proxy", "nginx"], ["Container host", "Nextcloud", "8081/Tcp"], "cloud.example.com"],
  [["Web proxy", "nginx"], ["Mail", "Roundcube", "443/Tcp"], "webmail"],
  [["Web shop", "WordPress"], ["Web shop", "Memcached", "11211/Tcp"], "sessions"],
  [["Web shop", "WordPress"], ["Database 1", "PgBouncer", "6432/Tcp"], "orders"],
  [["Database 1", "PgBouncer"], ["Database 1", "PostgreSQL", "5432/Tcp"], null],
  [["Database 2", "PostgreSQL replica"], ["Database 1", "PostgreSQL", "5432/Tcp"], "streaming replication"],
  [["Container host", "Nextcloud"], ["Database 1", "PgBouncer", "6432/Tcp"], null],
  [["Container host", "Nextcloud"], ["Database 2", "Redis", "6379/Tcp"], "locks"],
  [["Container host", "Nextcloud"], ["NAS", "MinIO", "9000/Tcp"], "files"],
  [["Container host", "Nextcloud"], ["Single sign-on", "Keycloak", "8443/Tcp"], "sign-in"],
  [["Container host", "Paperless"], ["Database 1", "PostgreSQL", "5432/Tcp"], null],
  [["Container host", "Paperless"], ["NAS", "NFS exports", "2049/Tcp"], "documents"],
  [["Single sign-on", "Keycloak"], ["Single sign-on", "Keycloak database", "5432/Tcp"], null],
  [["Single sign-on", "Keycloak"], ["Directory", "Active Directory", "636/Tcp"], "accounts"],
  [["Mail", "Roundcube"], ["Mail", "Dovecot", "993/Tcp"], null],
  [["Mail", "Dovecot"], ["Directory", "Active Directory", "636/Tcp"], "accounts"],
  [["Mail", "Postfix"], ["DNS filter", "Pi-hole", "53/Udp"], null],
  [["Git", "Gitea"], ["Database 1", "PostgreSQL", "5432/Tcp"], null],
  [["Git", "Jenkins"], ["Git", "Gitea", "3000/Tcp"], "sources"],
  [["Git", "Jenkins"], ["Messaging", "RabbitMQ", "5672/Tcp"], "jobs"],
  [["Monitoring", "Grafana"], ["Monitoring", "Prometheus", "9090/Tcp"], null],
  [["Monitoring", "Grafana"], ["Monitoring", "Loki", "3100/Tcp"], null],
  [["Monitoring", "Prometheus"], ["Database 1", "Node exporter", "9100/Tcp"], null],
  [["Backup server", "Proxmox Backup Server"], ["NAS", "NFS exports", "2049/Tcp"], "datastore"],
];

interface KnownHost {
  readonly id: string;
  readonly name: string;
  readonly services: readonly { readonly id: string; readonly name: string }[];
  readonly ports: readonly { readonly id: string; readonly number: number; readonly protocol: string }[];
}

/** The bodies that create them, between hosts that exist. */
export function dependencyBodies(network_id: string, hosts: readonly KnownHost[]): z.output<typeof DependencyCreate>[] {
  const named = new Map(hosts.map((host) => [host.name, host]));
  return DEPENDENCIES.flatMap(([client, server, note]) => {
    const from = endIn(named.get(client[0]), client);
    const to = endIn(named.get(server[0]), server);
    if (from === null || to === null) return [];
    const { host_id, service_id } = from;
    return [{ network_id, client: { host_id, service_id, process: null }, server: to, note }];
  });
}

function endIn(host: KnownHost | undefined, [, name, at]: End) {
  const service = host?.services.find((one) => one.name === name);
  if (host === undefined || service === undefined) return null;
  const port = host.ports.find(({ number, protocol }) => `${number}/${protocol}` === at);
  return { host_id: host.id, service_id: service.id, port_id: port?.id ?? null };
}

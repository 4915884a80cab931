import type { Host } from "@nts/shared/contract";
import { putUnder } from "@nts/shared/groups";
import {
  type ExportWriter,
  hostnameOf,
  labelOf,
  listeningOn,
  type Names,
  untemplated,
  wordOf,
} from "./writer.rules.js";

/** Bounds the memory that adds up per host. */
export const MOST_ANSIBLE_HOSTS = 50_000;

/**
 * An Ansible inventory as JSON, readable by its YAML plugin: hosts with variables, and groups by network, tag and
 * service. Group members are collected until the end.
 */
export function createAnsibleWriter(names: Names): ExportWriter {
  const taken = new Set<string>();
  const groups = new Map<string, string[]>();
  let before = "\n";

  function hostOf(host: Host): string {
    const name = unusedOf(host, taken);
    taken.add(name);
    for (const group of groupsOf(host, names)) putUnder(groups, group, name);
    // Ansible evaluates expressions in braces anywhere. JSON's own braces are followed by a quote.
    return `  ${JSON.stringify(name)}: ${untemplated(JSON.stringify(variablesOf(host, names)))}`;
  }

  return {
    begin: '{"all": {\n "hosts": {',
    hosts: (hosts) => {
      if (hosts.length === 0) return "";
      const text = before + hosts.map(hostOf).join(",\n");
      before = ",\n";
      return text;
    },
    end: () => groupsAtEnd(groups),
  };
}

/** Members per chunk. */
const PIECE = 500;

/** In chunks, so that large groups need not be built in memory. */
function* groupsAtEnd(groups: ReadonlyMap<string, readonly string[]>): Generator<string> {
  yield '\n },\n "children": {';
  let before = "\n";
  for (const [group, members] of groups) {
    yield `${before}  ${JSON.stringify(group)}: {"hosts": {`;
    for (let at = 0; at < members.length; at += PIECE) {
      const hosts = members.slice(at, at + PIECE).map((name) => `${JSON.stringify(name)}: {}`);
      yield `${at === 0 ? "" : ", "}${hosts.join(", ")}`;
    }
    yield "}}";
    before = ",\n";
  }
  yield "\n }\n}}\n";
}

/** The inventory name of a host: its name, with address or id appended if it is not unique. */
function unusedOf(host: Host, taken: ReadonlySet<string>): string {
  const name = hostnameOf(host) ?? (labelOf(host.name) || host.id);
  return taken.has(name) ? `${name}-${host.id}` : name;
}

function groupsOf(host: Host, names: Names): Set<string> {
  const group = (kind: string, name: string): string[] => {
    const word = wordOf(name, "_");
    return word === "" ? [] : [`${kind}_${word}`];
  };
  return new Set([
    ...group("network", names.network(host.network_id)),
    ...host.tags.flatMap((tag) => group("tag", names.tag(tag))),
    ...(host.role === null ? [] : group("role", host.role)),
    ...host.services.flatMap(({ service_definition }) => group("service", service_definition)),
  ]);
}

function variablesOf(host: Host, names: Names): object {
  const [first] = host.interfaces;
  const listeningOf = listeningOn(host);
  return {
    ...(first !== undefined && { ansible_host: first.ip_address }),
    nts_id: host.id,
    nts_name: host.name,
    nts_hostname: host.hostname,
    nts_network: names.network(host.network_id),
    nts_addresses: host.interfaces.map(({ ip_address }) => ip_address),
    nts_tags: host.tags.map(names.tag),
    nts_role: host.role,
    nts_attributes: host.attributes,
    nts_services: host.services.map((service) => ({
      name: service.name,
      definition: service.service_definition,
      attributes: service.attributes,
      listens: listeningOf(service).map(({ address, port, protocol }) => ({
        address,
        port,
        protocol: protocol.toLowerCase(),
      })),
    })),
  };
}

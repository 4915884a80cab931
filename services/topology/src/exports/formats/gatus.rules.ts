import type { Host } from "@nts/shared/contract";
import { isReachable } from "@nts/shared/contract/web-ports.rules";
import {
  type Check,
  checksOf,
  checkUrl,
  type ExportWriter,
  listeningOn,
  type Names,
  type Needs,
  yamlText,
} from "./writer.rules.js";

// Endpoints for Gatus: a group per network, with a check of each service that listens with TCP, and a ping of hosts without any.
// Gatus knows no parents: what a service needs is said in a comment.

/** Needs listed of one endpoint. */
const MOST_NEEDS = 20;

/** @see https://github.com/TwiN/gatus#configuration */
export function createGatusWriter(names: Names): ExportWriter {
  const taken = new Set<string>();
  let isEmpty = true;

  /** Gatus tells endpoints apart by group and name, whose letters it simplifies. */
  function unused(group: string, name: string, id: string): string {
    const keyOf = (text: string): string => `${group} ${text}`.toLowerCase().replaceAll(/[^a-z0-9]/g, "-");
    const own = accepted(name);
    const free = taken.has(keyOf(own)) ? `${own} ${id}` : own;
    taken.add(keyOf(free));
    return free;
  }

  function endpointsOf(host: Host, needs: Needs | undefined): string {
    const group = accepted(names.network(host.network_id));
    const listeningOf = listeningOn(host);
    const checked = host.services.flatMap((service) => {
      const [check] = checksOf(service.service_definition, listeningOf(service)).filter(({ address }) =>
        isReachable(address),
      );
      if (check === undefined) return [];
      const name = unused(group, `${service.name} (${host.name})`, service.id);
      return [
        endpointText({
          name,
          group,
          url: checkUrl(check),
          conditions: CONDITIONS[check.scheme],
          needs: needs?.of(service.id),
        }),
      ];
    });
    const [first] = host.interfaces.filter(({ ip_address }) => isReachable(ip_address));
    if (checked.length > 0 || first === undefined) return checked.join("");
    const address = first.ip_address.includes(":") ? `[${first.ip_address}]` : first.ip_address;
    const name = unused(group, host.name, host.id);
    return endpointText({
      name,
      group,
      url: `icmp://${address}`,
      conditions: CONDITIONS.tcp,
      needs: needs?.of(host.id),
    });
  }

  return {
    begin: "endpoints:\n",
    hosts: (hosts, needs) => {
      const text = hosts.map((host) => endpointsOf(host, needs)).join("");
      isEmpty &&= text === "";
      return text;
    },
    end: () => (isEmpty ? ["  []\n"] : []),
  };
}

const IS_CONNECTED = "[CONNECTED] == true";
/** Without a connection, the status is 0. Pages that answer are up, also if they ask for a password. */
const ANSWERS = [IS_CONNECTED, "[STATUS] < 500"];
const CONDITIONS: Readonly<Record<Check["scheme"], readonly string[]>> = {
  https: ANSWERS,
  http: ANSWERS,
  tcp: [IS_CONNECTED],
};

/** Gatus refuses files with these characters in a name. */
function accepted(name: string): string {
  return name.replaceAll('"', "'").replaceAll("\\", "/");
}

interface Endpoint {
  readonly name: string;
  readonly group: string;
  readonly url: string;
  readonly conditions: readonly string[];
  readonly needs: readonly string[] | undefined;
}

function endpointText({ name, group, url, conditions, needs = [] }: Endpoint): string {
  const lines = [
    ...needs.slice(0, MOST_NEEDS).map((need) => `  # needs ${quoted(need)}`),
    `  - name: ${quoted(name)}`,
    `    group: ${quoted(group)}`,
    `    url: ${quoted(url)}`,
    // Certificates are rarely for an address.
    ...(url.startsWith("https:") ? ["    client:", "      insecure: true"] : []),
    `    conditions: [${conditions.map(quoted).join(", ")}]`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Gatus replaces names of variables anywhere in the file; a doubled sign stands for one. */
function quoted(text: string): string {
  return yamlText(text).replaceAll("$", "$$$$");
}

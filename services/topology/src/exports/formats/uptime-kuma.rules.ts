import type { Host } from "@nts/shared/contract";
import { isReachable } from "@nts/shared/contract/web-ports.rules";
import {
  checksOf,
  checkUrl,
  type ExportWriter,
  listeningOn,
  type Needs,
  untemplated,
  yamlText,
} from "./writer.rules.js";

// Labels for AutoKuma, which makes monitors of Uptime Kuma from them: a group per host, in the group of the network device that it
// hangs on, or of what it runs on. A group is down when one of its monitors is. Labels have ids of their own, by which AutoKuma
// finds its monitors again, whatever their names are by then; those of the other source of AutoKuma, files, are numbers.

/** Needs listed of one monitor. */
const MOST_NEEDS = 20;

const HEAD = `# Labels for AutoKuma (https://github.com/BigBoot/AutoKuma). The container does nothing but carry them.
services:
  inventory-monitors:
    image: busybox
    command: sleep infinity
    restart: unless-stopped
    labels:
`;

export function createUptimeKumaWriter(): ExportWriter {
  const grouped = new Set<string>();
  /** Groups that monitors are in, by id. */
  const parents = new Map<string, string>();
  let isEmpty = true;

  function labelsOf(host: Host, needs: Needs | undefined): string {
    const parent = needs?.parentOf(host.id) ?? null;
    if (parent !== null) parents.set(parent.id, parent.name);
    grouped.add(host.id);
    const listeningOf = listeningOn(host);
    const inGroup = { parent_name: idOf(host.id) };
    const monitors = host.services.flatMap((service) => {
      const [check] = checksOf(service.service_definition, listeningOf(service)).filter(({ address }) =>
        isReachable(address),
      );
      if (check === undefined) return [];
      const description = needsText(needs?.of(service.id));
      const at: Readonly<Record<string, string>> =
        check.scheme === "tcp"
          ? { hostname: check.address, port: String(check.port) }
          : // What answers at all is up, and certificates are rarely for an address.
            { url: checkUrl(check), accepted_statuscodes: '["200-499"]', ignore_tls: "true" };
      const type = check.scheme === "tcp" ? "port" : "http";
      return [monitorText(service.id, type, { name: service.name, ...inGroup, ...at, ...description })];
    });
    const [first] = host.interfaces.filter(({ ip_address }) => isReachable(ip_address));
    const ping =
      monitors.length > 0 || first === undefined
        ? []
        : [monitorText(`${host.id}-ping`, "ping", { name: "Ping", ...inGroup, hostname: first.ip_address })];
    const group = {
      name: host.name,
      ...(parent !== null && { parent_name: idOf(parent.id) }),
      ...needsText(needs?.of(host.id)),
    };
    return [monitorText(host.id, "group", group), ...monitors, ...ping].join("");
  }

  return {
    begin: HEAD,
    hosts: (hosts, needs) => {
      const text = hosts.map((host) => labelsOf(host, needs)).join("");
      isEmpty &&= text === "";
      return text;
    },
    end: () => {
      const others = [...parents].filter(([id]) => !grouped.has(id));
      const text = others.map(([id, name]) => monitorText(id, "group", { name })).join("");
      return [isEmpty && text === "" ? "      {}\n" : text];
    },
  };
}

const idOf = (id: string): string => `nts-${id}`;

function monitorText(id: string, type: string, members: Readonly<Record<string, string>>): string {
  return Object.entries(members)
    .map(([name, value]) => `      kuma.${idOf(id)}.${type}.${name}: ${quoted(value)}\n`)
    .join("");
}

function needsText(needs: readonly string[] = []): Readonly<Record<string, string>> {
  if (needs.length === 0) return {};
  const more = needs.length > MOST_NEEDS ? ` and ${needs.length - MOST_NEEDS} more` : "";
  return { description: `Needs ${needs.slice(0, MOST_NEEDS).join(", ")}${more}` };
}

/** AutoKuma evaluates templates, and Compose replaces names of variables; a doubled sign stands for one. */
function quoted(text: string): string {
  return yamlText(untemplated(text)).replaceAll("$", "$$$$");
}

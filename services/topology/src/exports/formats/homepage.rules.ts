import type { Host } from "@nts/shared/contract";
import { urlOf, webSchemeOf } from "@nts/shared/contract/web-ports.rules";
import { type ExportWriter, type Listening, listeningOn, type Names, untemplated, yamlText } from "./writer.rules.js";

/**
 * `services.yaml` for Homepage: a group per network with what browsers can open. Hosts come by network. Names must be
 * unique per file or group, because Homepage looks up states by name.
 *
 * @see https://gethomepage.dev/configs/services/
 */
export function createHomepageWriter(names: Names): ExportWriter {
  const called = new Map<string, number>();
  let open: string | null = null;

  function entriesOf(host: Host): string {
    const entries = linksOn(host);
    if (entries.length === 0) return "";
    const text = entries.map(entryOf).join("");
    if (open === host.network_id) return text;
    open = host.network_id;
    const name = names.network(open);
    const times = (called.get(name) ?? 0) + 1;
    called.set(name, times);
    return `- ${quoted(times === 1 ? name : `${name} (${times})`)}:\n${text}`;
  }

  return {
    begin: "---\n",
    hosts: (hosts) => hosts.map(entriesOf).join(""),
    end: () => (open === null ? ["[]\n"] : []),
  };
}

interface Link {
  readonly name: string;
  readonly href: string;
  readonly description: string;
}

function linksOn(host: Host): Link[] {
  const listeningOf = listeningOn(host);
  const taken = new Set<string>();
  return host.services.flatMap((service) => {
    const { service_definition: description, id } = service;
    const href = pageOf(description, listeningOf(service));
    if (href === null) return [];
    const name = `${service.name} (${host.name})`;
    const link = { name: taken.has(name) ? `${name} ${id}` : name, href, description };
    taken.add(name);
    return [link];
  });
}

/** The URL of a service; https if available. */
function pageOf(definition: string, listening: readonly Listening[]): string | null {
  const pages = listening.flatMap((one) => {
    const scheme = webSchemeOf(definition, one);
    const href = scheme === null ? null : urlOf(scheme, one.address, one.port);
    return href === null ? [] : [{ scheme, href }];
  });
  return (pages.find(({ scheme }) => scheme === "https") ?? pages[0])?.href ?? null;
}

function entryOf({ name, href, description }: Link): string {
  const lines = [
    `    - ${quoted(name)}:`,
    ...Object.entries({ href, description, siteMonitor: href }).map(
      ([key, value]) => `        ${key}: ${quoted(value)}`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

/** Homepage substitutes environment secrets for names in double braces, so these are separated. */
function quoted(text: string): string {
  return yamlText(untemplated(text));
}

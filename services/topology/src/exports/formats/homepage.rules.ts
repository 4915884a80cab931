import type { Host } from "@nts/shared/contract";
import { urlOf, webSchemeOf } from "@nts/shared/contract/web-ports.rules";
import { type ExportWriter, type Listening, listeningOn, type Names, untemplated } from "./writer.rules.js";

/**
 * `services.yaml` for Homepage: a group for each network, in it what a browser can open, with its state. Hosts come by network.
 * A name stands once in a file or group: Homepage finds by names what it asks for its state.
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

/** Where a browser finds a service: encrypted if it can be. */
function pageOf(definition: string, listening: readonly Listening[]): string | null {
  const pages = listening.flatMap((one) => {
    const scheme = webSchemeOf(definition, one);
    const href = scheme === null ? null : urlOf(scheme, one.address, one.port);
    return href === null ? [] : [{ scheme, href }];
  });
  return (pages.find(({ scheme }) => scheme === "https") ?? pages[0])?.href ?? null;
}

function entryOf({ name, href, description }: Link): string {
  const lines = [`    - ${quoted(name)}:`, ...Object.entries({ href, description, siteMonitor: href }).map(([key, value]) => `        ${key}: ${quoted(value)}`)]; // prettier-ignore
  return `${lines.join("\n")}\n`;
}

/** What YAML does not take as it is, though JSON does. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Homepage puts secrets of its environment where their names stand in double braces, so those come apart. */
function quoted(text: string): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(untemplated(text)).replaceAll(UNPRINTABLE, escaped);
}

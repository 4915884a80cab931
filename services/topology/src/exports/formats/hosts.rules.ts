import type { Host } from "@nts/shared/contract";
import { type ExportWriter, hostnameOf, labelOf } from "./writer.rules.js";

/** Lines for `/etc/hosts`: each address with the hostname and the host's name as a label. */
export function createHostsWriter(): ExportWriter {
  return { begin: "", hosts: (hosts) => hosts.map(linesOf).join(""), end: () => [] };
}

function linesOf(host: Host): string {
  const names = new Set([hostnameOf(host) ?? "", labelOf(host.name)].filter((name) => name !== ""));
  return names.size === 0
    ? ""
    : host.interfaces.map(({ ip_address }) => `${ip_address}\t${[...names].join(" ")}\n`).join("");
}

/** Scans with their coverage, as from nmap. */
import { importScan } from "./imports.js";
import type { ImportPlan } from "@nts/shared/contract";
import type { Caller } from "./topology.js";

export interface Up {
  readonly ip: string;
  readonly mac?: string;
  readonly hostname?: string;
  /** Numbers of open TCP ports. */
  readonly ports?: readonly number[];
}

export interface ScannedPorts {
  /** In the notation of nmap, such as `1-1000`. */
  readonly services?: string;
  /** Of those that are not listed. */
  readonly others?: "closed" | "filtered";
}

/** The number of addresses of an IPv4 block. */
export const sizeOf = (cidr: string): number => 2 ** (32 - Number(cidr.split("/")[1]));

/** A complete scan file of a block. */
export function scanOfBlock(
  cidr: string,
  up: readonly Up[],
  { services, others = "closed" }: ScannedPorts = {},
): string {
  const scanned = services === undefined ? "" : `<scaninfo type="syn" protocol="tcp" services="${services}"/>\n`;
  const total = sizeOf(cidr);
  return (
    `<nmaprun scanner="nmap" version="7.93" args="nmap -sS -oX - ${cidr}">\n${scanned}` +
    up.map((one) => hostElement(one, services === undefined ? null : others)).join("") +
    `<runstats><finished time="1" exit="success"/><hosts up="${up.length}" down="${total - up.length}" total="${total}"/></runstats>\n</nmaprun>\n`
  );
}

function hostElement({ ip, mac, hostname, ports = [] }: Up, others: string | null): string {
  const open = ports.map((port) => `<port protocol="tcp" portid="${port}"><state state="open"/></port>`).join("");
  const rest = others === null ? "" : `<extraports state="${others}" count="1"/>`;
  const card = mac === undefined ? "" : `<address addr="${mac}" addrtype="mac"/>`;
  const names = hostname === undefined ? "" : `<hostnames><hostname name="${hostname}" type="PTR"/></hostnames>`;
  return `<host><status state="up" reason="arp-response"/><address addr="${ip}" addrtype="ipv4"/>${card}${names}<ports>${rest}${open}</ports></host>\n`;
}

/** The missed entities of an import, such as `Host nas`, sorted. */
export const missingIn = ({ missing }: ImportPlan): string[] =>
  missing.map(({ entity, name }) => `${entity} ${name}`).sort();

/** Imports a scan of a block. */
export const importBlock = (
  caller: Caller,
  network: string,
  ...scan: Parameters<typeof scanOfBlock>
): Promise<ImportPlan> => importScan(caller, network, scanOfBlock(...scan));

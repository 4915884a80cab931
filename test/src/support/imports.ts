/** Scan files, and helpers of import tests. */
import { readFileSync } from "node:fs";
import { createNetwork, type Host, ImportPlan, listHosts } from "@nts/shared/contract";
import { ALL_COLLECTIONS } from "@nts/topology/kinds/index";
import type { ServiceResponse, Caller, Headers, Topology } from "./topology.js";

/** A file of `test/scans`; some are of the scanner's own machine. */
export function recordedScan(name: string): string {
  return readFileSync(new URL(`../../scans/${name}.xml`, import.meta.url), "utf8");
}

/** The same as a scan of other machines. */
export function scanFile(name: string): string {
  const file = recordedScan(name).replaceAll("127.0.0.", "10.8.0.").replaceAll('"::1"', '"fd00:8::1"');
  return file.replaceAll('name="localhost"', 'name="lab.example"');
}

/** A scan file with these elements. */
export function scanOf(inside: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE nmaprun>\n<nmaprun scanner="nmap" version="7.93">\n${inside}</nmaprun>\n`;
}

export interface SeenParts {
  readonly mac?: string;
  readonly hostname?: string;
  /** Numbers of open TCP ports. */
  readonly ports?: readonly number[];
}

/** An element of a host that is up, on one line. */
export function upHost(ip: string, { mac, hostname, ports = [] }: SeenParts = {}): string {
  const type = ip.includes(":") ? "ipv6" : "ipv4";
  const open = ports.map((port) => `<port protocol="tcp" portid="${port}"><state state="open"/></port>`).join("");
  return [
    `<host><status state="up"/><address addr="${ip}" addrtype="${type}"/>`,
    mac === undefined ? "" : `<address addr="${mac}" addrtype="mac"/>`,
    hostname === undefined ? "" : `<hostnames><hostname name="${hostname}" type="PTR"/></hostnames>`,
    `<ports>${open}</ports></host>\n`,
  ].join("");
}

/** A scan of many hosts from 10.20.0.0 on, each with a web server. */
export function scanOfMany(hosts: number, ports: readonly number[] = [22, 443]): string {
  const ip = (n: number): string => `10.20.${n >> 8}.${n & 255}`;
  return scanOf(Array.from({ length: hosts }, (_, n) => upHost(ip(n), { ports })).join(""));
}

/**
 * A scan with versions and scripts, of many hosts from 10.20.0.0 on, each with three services; 1.4 kB per host.
 *
 * @param major version of all services
 */
export function scanOfServices(hosts: number, major = 1): string {
  return scanOf(Array.from({ length: hosts }, (_, n) => servingHost(n, major)).join(""));
}

function servingHost(n: number, major: number): string {
  const hex = n.toString(16).padStart(6, "0");
  const mac = ["02:42:0A", hex.slice(0, 2), hex.slice(2, 4), hex.slice(4)].join(":").toUpperCase();
  const port = (number: number, name: string, product: string, script: string): string =>
    `<port protocol="tcp" portid="${number}"><state state="open" reason="syn-ack" reason_ttl="64"/><service name="${name}" product="${product}" version="${major}.${n % 30}" method="probed" conf="10"><cpe>cpe:/a:example:${name}:${major}.${n % 30}</cpe></service>${script}</port>\n`;
  const key = `<script id="ssh-hostkey" output="&#xa;  256 ${hex.repeat(8)} (ECDSA)"><table><elem key="type">ecdsa-sha2-nistp256</elem><elem key="bits">256</elem><elem key="fingerprint">${hex.repeat(5)}</elem></table></script>`;
  const title = `<script id="http-title" output="Site of host-${n}"><elem key="title">Site of host-${n}</elem></script>`;
  return [
    `<host starttime="1700000000" endtime="1700000099"><status state="up" reason="arp-response" reason_ttl="0"/>\n`,
    `<address addr="10.20.${n >> 8}.${n & 255}" addrtype="ipv4"/>\n<address addr="${mac}" addrtype="mac" vendor="Example"/>\n`,
    `<hostnames><hostname name="host-${n}.example" type="PTR"/></hostnames>\n<ports><extraports state="closed" count="997"><extrareasons reason="reset" count="997"/></extraports>\n`,
    port(22, "ssh", "OpenSSH", key),
    port(80, "http", "nginx", title),
    port(5432, "postgresql", "PostgreSQL DB", ""),
    `</ports>\n<times srtt="214" rttvar="5000" to="100000"/>\n</host>\n`,
  ].join("");
}

export type ImportQuery = Readonly<Record<string, string>>;

/** Sends a file, without checking the response. */
export function sendScan(
  caller: Caller,
  query: ImportQuery,
  file: string,
  headers: Headers = {},
): Promise<ServiceResponse<unknown>> {
  const search = new URLSearchParams(query).toString();
  return caller.raw("post", `/api/v1/imports/nmap?${search}`, file, { "content-type": "application/xml", ...headers });
}

/** Imports a file, which must succeed. @returns the plan @throws Error when it violates the contract */
export async function importScan(
  caller: Caller,
  networkId: string,
  file: string,
  query: ImportQuery = {},
): Promise<ImportPlan> {
  const { status, data, text } = await sendScan(caller, { network_id: networkId, ...query }, file);
  if (status !== 200) throw new Error(`the import answered ${status}: ${text}`);
  const plan = ImportPlan.parse(data);
  if (JSON.stringify(plan) !== JSON.stringify(data)) throw new Error(`it violates the contract: ${text}`);
  return plan;
}

/** Sends a file of any format, without checking the response. */
export function sendFile(
  caller: Caller,
  format: string,
  query: ImportQuery,
  file: string,
  headers: Headers = {},
): Promise<ServiceResponse<unknown>> {
  const search = new URLSearchParams(query).toString();
  const path = `/api/v1/imports/${format}?${search}`;
  return caller.raw("post", path, file, { "content-type": "application/octet-stream", ...headers });
}

/** Imports such a file, which must succeed. */
export async function importFile(...sent: Parameters<typeof sendFile>): Promise<ImportPlan> {
  const { status, data, text } = await sendFile(...sent);
  if (status !== 200) throw new Error(`the import answered ${status}: ${text}`);
  return ImportPlan.parse(data);
}

/** Hosts of a plan, a line each, such as `create nas 192.168.1.20: 22/Tcp SSH`. */
export function hostsIn({ hosts }: ImportPlan): string[] {
  return hosts.map(({ action, name, interfaces, ports, services }) =>
    [
      `${action} ${name} ${interfaces.map(({ ip_address }) => ip_address).join(" ")}:`,
      ...ports.map(({ number, protocol }) => `${number}/${protocol}`),
      ...services.map((service) => service.name),
    ].join(" "),
  );
}

export async function anEmptyNetwork(owner: Caller): Promise<{ owner: Caller; network: string }> {
  return { owner, network: (await owner.call(createNetwork, { body: { name: "Office" } })).id };
}

/** All hosts of a network by name. */
export const hostsOf = async (owner: Caller, network_id: string): Promise<Host[]> =>
  (await owner.list(listHosts, { query: { network_id, limit: 0, order_by: "name" } })).rows;

/** A projection without sightings. */
export const WITHOUT_SIGHTINGS = {
  seen_first: 0,
  seen_last: 0,
  seen_by: 0,
  seen_how: 0,
  missed: 0,
  sighted: 0,
} as const;

/** All documents of a database, for comparison. @param projection omitted fields */
export async function allDocumentsOf({ db }: Topology, projection: Readonly<Record<string, 0>> = {}): Promise<string> {
  const names = [...ALL_COLLECTIONS, "guards"];
  const read = names.map((name) => db.collection(name).find({}, { projection }).sort({ _id: 1 }).toArray());
  return JSON.stringify(await Promise.all(read));
}

/** A plan without what a dry run cannot know. */
export function withoutIds(plan: ImportPlan): unknown {
  const text = JSON.stringify({ ...plan, dry_run: null });
  return JSON.parse(text, (name, value: unknown) => (name === "id" ? null : value));
}

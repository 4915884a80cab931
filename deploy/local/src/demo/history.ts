import { randomUUID } from "node:crypto";
import type { DemoApi } from "./api.js";
import { HOSTS } from "@nts/shared/sample/bodies";
import { type SampleHost, type SubnetKey, SUBNETS } from "@nts/shared/sample/data";
import type { PastMoment } from "./past.rules.js";

/** Authors of changes: people with their own accounts, and a script with a key of the demo account. */
export type DemoActor = "engineer" | "help desk" | "script";

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A host as returned by the API. */
export interface FoundHost extends Named {
  readonly network_id: string;
  readonly interfaces: readonly { readonly id: string; readonly subnet_id: string }[];
  readonly ports: readonly { readonly id: string; readonly number: number }[];
  readonly services: readonly (Named & { readonly bindings: readonly object[] })[];
}

export interface DemoChange {
  readonly when: PastMoment;
  readonly by: DemoActor;
  /** The `Change-Comment`. */
  readonly comment: string;
  /** The affected host, or one on the affected network. */
  readonly host: string;
  readonly make: (api: DemoApi, host: FoundHost, comment: string) => Promise<unknown>;
}

type Make = DemoChange["make"];

/** The demo's history of the week after its creation. An interrupted history is repeated from the start. */
export const CHANGES: readonly DemoChange[] = [
  {
    when: { daysAgo: 6, at: "01:50" },
    by: "script",
    comment: "Scan of three weeks ago, imported later",
    host: "Design workstation",
    make: scanAll({ daysAgo: 21 }),
  },
  {
    when: { daysAgo: 6, at: "02:10" },
    by: "script",
    comment: "Nightly inventory: new operating system",
    host: "Design workstation",
    make: patchHost({ description: "Mac of the design team, macOS 26" }),
  },
  {
    when: { daysAgo: 6, at: "10:40" },
    by: "help desk",
    comment: "Moved upstairs with the planning office",
    host: "Printer second floor",
    make: patchHost({ description: "Large format printer of the planning office, room 2.14" }),
  },
  {
    when: { daysAgo: 5, at: "08:55" },
    by: "engineer",
    comment: "Two disks are being replaced",
    host: "NAS",
    make: patchHost({ tags: { add: ["maintenance"] } }),
  },
  {
    when: { daysAgo: 5, at: "15:20" },
    by: "engineer",
    comment: "Kept free for test systems of customers",
    host: "Web proxy",
    make: reserveIn("DMZ", { from: "10.20.40.48", to: "10.20.40.62", purpose: "Customer tests" }),
  },
  {
    when: { daysAgo: 4, at: "11:05" },
    by: "help desk",
    comment: "Status page for the help desk",
    host: "Container host",
    make: addStatusPage,
  },
  {
    when: { daysAgo: 4, at: "16:30" },
    by: "engineer",
    comment: "Reachable from everywhere for the update",
    host: "Container host",
    make: bindPort("Portainer", 9443, "all"),
  },
  {
    when: { daysAgo: 4, at: "17:10" },
    by: "engineer",
    comment: "Update done, reachable from the servers only again",
    host: "Container host",
    make: bindPort("Portainer", 9443, "first"),
  },
  {
    when: { daysAgo: 3, at: "02:10" },
    by: "script",
    comment: "Nightly inventory: containers",
    host: "Container host",
    make: importContainers,
  },
  {
    when: { daysAgo: 3, at: "09:40" },
    by: "help desk",
    comment: "Trying the new backup agent",
    host: "Proxmox 2",
    make: addTrialHost,
  },
  {
    when: { daysAgo: 2, at: "14:25" },
    by: "help desk",
    comment: "The trial is over",
    host: "Proxmox 2",
    make: deleteTrialHost,
  },
  {
    when: { daysAgo: 1, at: "02:10" },
    by: "script",
    comment: "Nightly scan",
    host: "Design workstation",
    make: scanAll({
      gone: ["Meeting room display", "Printer first floor"],
      closed: { "Wireless controller": [8843], "Printer second floor": [9100] },
      strangers: [{ key: "office", ip: "10.20.20.187", mac: "3C:5A:B4:7D:19:E2" }],
    }),
  },
  {
    when: { daysAgo: 1, at: "10:15" },
    by: "engineer",
    comment: "Disks replaced, the array is healthy",
    host: "NAS",
    make: patchHost({ tags: { remove: ["maintenance"] } }),
  },
];

const DAY_MS = 86_400_000;
const TRIAL = "Backup trial";
const STATUS_PAGE = "Status page";

/** Makes the changes with their authors. @param begin receives the intended time of each */
export async function createHistory(
  actors: Readonly<Record<DemoActor, DemoApi>>,
  begin: (when: PastMoment) => void,
): Promise<void> {
  for (const { when, by, comment, host: name, make } of CHANGES) {
    begin(when);
    const api = actors[by];
    const hosts = await api.get<FoundHost[]>(`/api/v1/hosts?q=${encodeURIComponent(name)}&limit=0`);
    const host = hosts.find((one) => one.name === name);
    if (host !== undefined) await make(api, host, comment);
  }
}

function patchHost(body: object): Make {
  return (api, { id }, comment) => api.patch(`/api/v1/hosts/${id}`, body, comment);
}

function reserveIn(name: string, range: object): Make {
  return async (api, { network_id: networkId }, comment) => {
    const subnets = await api.get<Named[]>(`/api/v1/subnets?network_id=${networkId}&limit=0`);
    const subnet = subnets.find((one) => one.name === name);
    if (subnet !== undefined) await api.patch(`/api/v1/subnets/${subnet.id}`, { reserved: [range] }, comment);
  };
}

function bindPort(name: string, number: number, where: "all" | "first"): Make {
  return async (api, { services, ports, interfaces }, comment) => {
    const service = services.find((one) => one.name === name);
    const port = ports.find((one) => one.number === number);
    const interfaceId = where === "all" ? null : interfaces[0]?.id;
    if (service === undefined || port === undefined || interfaceId === undefined) return;
    const bindings = [{ type: "Port", port_id: port.id, interface_id: interfaceId }];
    await api.patch(`/api/v1/services/${service.id}`, { bindings }, comment);
  };
}

async function addStatusPage(api: DemoApi, host: FoundHost, comment: string): Promise<void> {
  if (host.services.some(({ name }) => name === STATUS_PAGE)) return;
  const at = { network_id: host.network_id, host_id: host.id };
  const port =
    host.ports.find(({ number }) => number === 3001) ??
    (await api.post<{ id: string }>("/api/v1/ports", { ...at, number: 3001, protocol: "Tcp" }, comment));
  const bindings = [{ type: "Port", port_id: port.id, interface_id: host.interfaces[0]?.id ?? null }];
  const service = { ...at, name: STATUS_PAGE, service_definition: "Uptime Kuma", bindings, tags: [] };
  await api.post("/api/v1/services", service, comment);
}

/** `docker inspect` output for the host: one known container, and one new one. */
function importContainers(api: DemoApi, { id, network_id: networkId }: FoundHost, comment: string): Promise<unknown> {
  const container = (name: string, image: string, inside: string, HostPort: string): object => ({
    Name: `/${name}`,
    State: { Running: true },
    Config: { Image: image },
    NetworkSettings: { Ports: { [inside]: [{ HostIp: "10.20.10.60", HostPort }] } },
  });
  const file = [
    container("paperless", "ghcr.io/paperless-ngx/paperless-ngx:2.14", "8000/tcp", "8000"),
    container("handbook", "lscr.io/linuxserver/bookstack:24.12", "80/tcp", "6875"),
  ];
  return api.post(`/api/v1/imports/docker?network_id=${networkId}&host_id=${id}`, file, comment);
}

interface Stranger {
  readonly key: SubnetKey;
  readonly ip: string;
  readonly mac: string;
}

/** Hosts and ports that scans no longer find, with their creation times. */
interface Unfound {
  readonly daysAgo?: number;
  readonly gone?: readonly string[];
  readonly closed?: Readonly<Record<string, readonly number[]>>;
  /** Machines that nobody has written down. */
  readonly strangers?: readonly Stranger[];
}

/** Scans of all subnets that miss these. */
function scanAll({ daysAgo = 0, gone = [], closed = {}, strangers = [] }: Unfound): Make {
  return async (api, { network_id: networkId }, comment) => {
    const there = HOSTS.filter(({ name }) => !gone.includes(name));
    for (const { key, cidr } of SUBNETS) {
      const known = there.flatMap((host) => elementsOf(host, key, closed[host.name] ?? []));
      const up = [...known, ...strangers.filter((one) => one.key === key).map(strangerElement)];
      const total = 2 ** (32 - Number(cidr.split("/")[1]));
      const counts = `<hosts up="${up.length}" down="${total - up.length}" total="${total}"/>`;
      const file =
        `<nmaprun scanner="nmap" args="nmap -sS -p- -oX - ${cidr}"><scaninfo type="syn" protocol="tcp" services="1-65535"/>` +
        `${up.join("")}<runstats><finished exit="success"/>${counts}</runstats></nmaprun>`;
      const seenAt = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
      await api.post(`/api/v1/imports/nmap?network_id=${networkId}&seen_at=${seenAt}`, file, comment);
    }
  };
}

function strangerElement({ ip, mac }: Stranger): string {
  return (
    `<host><status state="up" reason="arp-response"/><address addr="${ip}" addrtype="ipv4"/><address addr="${mac}" addrtype="mac"/>` +
    `<ports><extraports state="closed" count="65535"/></ports></host>`
  );
}

const TLS_PORTS: ReadonlySet<number> = new Set([443, 8006, 8443, 9443]);
/** Days until certificates end, for one host after the other. */
const CERTIFICATE_DAYS = [160, 48, 11, 320, 83, 24];
const TODAY = new Date().toISOString().slice(0, 10);

/** What `ssl-cert` says of a port. */
function certificateOf(host: SampleHost, port: number): string {
  if (!TLS_PORTS.has(port)) return "";
  const days = CERTIFICATE_DAYS[(HOSTS.indexOf(host) + port) % CERTIFICATE_DAYS.length] ?? 0;
  const end = new Date(Date.parse(TODAY) + days * DAY_MS).toISOString().slice(0, 10);
  return (
    `<script id="ssl-cert" output=""><table key="subject"><elem key="commonName">${host.hostname}</elem></table>` +
    `<table key="issuer"><elem key="commonName">Example Company CA</elem></table>` +
    `<table key="validity"><elem key="notAfter">${end}T00:00:00</elem></table></script>`
  );
}

/** The scan result of a host at its addresses in a subnet. */
function elementsOf(host: SampleHost, subnet: SubnetKey, closed: readonly number[]): string[] {
  const { interfaces, services } = host;
  const places = services.flatMap(([, , ...ports]) => ports.map((port) => /^(\d+)\/Tcp(?:@(\d))?$/.exec(port)));
  return interfaces.flatMap(([key, ip, mac], index) => {
    if (key !== subnet) return [];
    const here = places.flatMap((place) =>
      place !== null && [undefined, String(index)].includes(place[2]) ? [Number(place[1])] : [],
    );
    const open = [...new Set(here)].filter((port) => !closed.includes(port));
    const ports = open
      .map((port) => {
        const certificate = certificateOf(host, port);
        return `<port protocol="tcp" portid="${port}"><state state="open"/>${certificate}</port>`;
      })
      .join("");
    return [
      `<host><status state="up" reason="arp-response"/><address addr="${ip}" addrtype="ipv4"/><address addr="${mac}" addrtype="mac"/>` +
        `<ports><extraports state="closed" count="${65_535 - open.length}"/>${ports}</ports></host>`,
    ];
  });
}

async function addTrialHost(api: DemoApi, runner: FoundHost, comment: string): Promise<void> {
  const [card] = runner.interfaces;
  const portId = randomUUID();
  const host = {
    network_id: runner.network_id,
    name: TRIAL,
    hostname: "trial.hq.example.com",
    interfaces: card === undefined ? [] : [{ subnet_id: card.subnet_id, ip_address: "next", name: "eth0" }],
    ports: [{ id: portId, number: 22, protocol: "Tcp" }],
    services: [{ name: "SSH", service_definition: "SSH", bindings: [{ type: "Port", port_id: portId }] }],
  };
  await api.post("/api/v1/hosts", host, comment);
}

async function deleteTrialHost(api: DemoApi, _runner: FoundHost, comment: string): Promise<void> {
  const hosts = await api.get<Named[]>(`/api/v1/hosts?q=${encodeURIComponent(TRIAL)}&limit=0`);
  for (const { id, name } of hosts) if (name === TRIAL) await api.delete(`/api/v1/hosts/${id}`, comment);
}

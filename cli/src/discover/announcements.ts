import { createSocket } from "node:dgram";
import { setTimeout as delay } from "node:timers/promises";
import createMulticastDns, { type ResponsePacket } from "multicast-dns";
import type { OwnAddress } from "./blocks.js";
import { forEach, type Pace } from "./pace.js";
import { EXCHANGE_PACKETS } from "./services.js";

// What machines tell of themselves when asked by multicast: names and services (mDNS), kind and maker (SSDP).

/** What a machine announces. */
export interface Announced {
  /** Such as `printer.local`. */
  hostname: string | null;
  /** As a person would call it. */
  name: string | null;
  vendor: string | null;
  model: string | null;
  serial: string | null;
  /** Names of services by port, such as `631/tcp`. */
  readonly services: Map<string, string>;
}

export type Announcements = Map<string, Announced>;

const LISTEN_MS = 2_500;
/** After which what was asked by mDNS is asked once more: Wi-Fi loses more of what is sent to all. */
const AGAIN_MS = 1_000;
const SERVICES = "_services._dns-sd._udp.local";
const MOST_TYPES = 200;
const MOST_MACHINES = 5_000;
/** A service's type, such as `_ipp._tcp.local`. */
const TYPE = /^_([a-z\d-]{1,60})\._(tcp|udp)\.local$/i;

export function announcedBy(found: Announcements, ip: string): Announced {
  const known = found.get(ip);
  if (known !== undefined) return known;
  const one = {
    hostname: null,
    name: null,
    vendor: null,
    model: null,
    serial: null,
    services: new Map<string, string>(),
  };
  if (found.size < MOST_MACHINES) found.set(ip, one);
  return one;
}

interface Asking {
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

/** Asks by mDNS on every link of this machine. */
export async function listenForNames(own: readonly OwnAddress[], asking: Asking): Promise<Announcements> {
  const found: Announcements = new Map();
  await Promise.all(own.map(({ ip }) => listenAt(ip, found, asking)));
  return found;
}

/** What has been heard on a link. Services belong to host names, whose addresses may come later. */
interface Heard {
  readonly types: Set<string>;
  readonly addresses: Map<string, string>;
  /** By their full names, such as `Printer._ipp._tcp.local`. */
  readonly services: Map<string, { target: string; key: string; type: string; name: string }>;
  readonly models: Map<string, string>;
}

async function listenAt(own: string, found: Announcements, { pace, signal }: Asking): Promise<void> {
  // Not at its own address, to which answers by multicast are not delivered.
  const dns = createMulticastDns({ interface: own, bind: "0.0.0.0", loopback: false });
  const heard: Heard = { types: new Set(), addresses: new Map(), services: new Map(), models: new Map() };
  const asked: Promise<void>[] = [];
  const ask = (name: string): void => {
    const query = (): void => dns.query({ questions: [{ name, type: "PTR" }] });
    asked.push(pace().then(query, () => undefined));
  };
  // A link without multicast, or a damaged packet.
  dns.on("error", () => undefined);
  dns.on("warning", () => undefined);
  dns.on("response", ({ answers, additionals }: ResponsePacket) => {
    for (const answer of [...answers, ...additionals]) {
      const type = newTypeIn(answer, heard);
      if (type === null) take(answer, heard);
      else ask(type);
    }
  });
  const listen = (ms: number): Promise<unknown> => delay(ms, null, { signal }).catch(() => null);
  ask(SERVICES);
  await Promise.all(asked.splice(0));
  await listen(AGAIN_MS);
  for (const name of [SERVICES, ...heard.types]) ask(name);
  while (asked.length > 0) {
    await Promise.all(asked.splice(0));
    await listen(LISTEN_MS - AGAIN_MS);
  }
  await new Promise<void>((resolve) => dns.destroy(() => resolve()));
  for (const [hostname, ip] of heard.addresses) announcedBy(found, ip).hostname ??= hostname;
  for (const { target, key, type, name } of heard.services.values()) {
    const ip = heard.addresses.get(target);
    if (ip === undefined) continue;
    const machine = announcedBy(found, ip);
    machine.name ??= name === "" ? null : name;
    machine.model ??= heard.models.get(name) ?? null;
    machine.services.set(key, type);
  }
}

type Answer = ResponsePacket["answers"][number];

/** A type of service that has not been asked for; null if the answer names none. */
function newTypeIn(answer: Answer, { types }: Heard): string | null {
  if (answer.type !== "PTR" || answer.name !== SERVICES || !TYPE.test(answer.data)) return null;
  if (types.has(answer.data) || types.size === MOST_TYPES) return null;
  types.add(answer.data);
  return answer.data;
}

function take(answer: Answer, { addresses, services, models }: Heard): void {
  if (answer.type === "A" && addresses.size < MOST_MACHINES) addresses.set(answer.name.toLowerCase(), answer.data);
  if (answer.type === "TXT" && answer.name.includes("_device-info.")) {
    const texts = [answer.data].flat().map((text) => text.toString());
    const model = texts.find((text) => text.startsWith("model="))?.slice("model=".length);
    if (model !== undefined) models.set(answer.name.split("._", 1)[0] ?? "", model);
  }
  if (answer.type !== "SRV" || services.size === MOST_MACHINES) return;
  const [name = "", ...rest] = answer.name.split(/\.(?=_)/);
  const [, type, protocol = "tcp"] = TYPE.exec(rest.join(".")) ?? [];
  const { target, port } = answer.data;
  if (type !== undefined)
    services.set(answer.name, { target: target.toLowerCase(), key: `${port}/${protocol.toLowerCase()}`, type, name });
}

const SSDP = { group: "239.255.255.250", port: 1900 } as const;
const SEARCH = [
  "M-SEARCH * HTTP/1.1",
  `HOST: ${SSDP.group}:${SSDP.port}`,
  'MAN: "ssdp:discover"',
  "MX: 1",
  "ST: upnp:rootdevice",
  "",
  "",
].join("\r\n");
const DESCRIPTION_MS = 2_000;
const DESCRIPTIONS_AT_A_TIME = 50;
const MOST_CHARACTERS = 65_536;

/** Asks by SSDP on every link, and reads the descriptions of those machines that may be looked at. */
export async function listenForDevices(
  own: readonly OwnAddress[],
  mayLookAt: (ip: string) => boolean,
  found: Announcements,
  { pace, signal }: Asking,
): Promise<void> {
  const locations = new Map<string, string>();
  await Promise.all(
    own.map(async ({ ip }) => {
      await pace();
      const socket = createSocket({ type: "udp4", reuseAddr: true });
      socket.on("error", () => undefined);
      socket.on("message", (bytes, { address }) => {
        const [, location] = /^location: *(http:\/\/\S{1,300})\r?$/im.exec(bytes.toString("latin1")) ?? [];
        // The description is fetched from the machine that answered, and from no other.
        if (location !== undefined && mayLookAt(address) && new URL(location).hostname === address)
          locations.set(address, location);
      });
      await new Promise<void>((resolve) => socket.bind(0, ip, resolve));
      socket.setMulticastInterface(ip);
      socket.send(SEARCH, SSDP.port, SSDP.group);
      await delay(LISTEN_MS, null, { signal }).catch(() => null);
      socket.close();
    }),
  );
  await forEach([...locations], DESCRIPTIONS_AT_A_TIME, async ([ip, location]) => {
    await pace(EXCHANGE_PACKETS);
    const description = await textAt(location);
    const read = (tag: string): string | null =>
      new RegExp(`<${tag}>\\s*([^<]{1,200}?)\\s*</${tag}>`, "i").exec(description)?.[1] ?? null;
    const machine = announcedBy(found, ip);
    machine.name ??= read("friendlyName");
    machine.vendor ??= read("manufacturer");
    machine.model ??= read("modelName");
    machine.serial ??= read("serialNumber");
  });
}

async function textAt(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DESCRIPTION_MS), redirect: "error" });
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes as Uint8Array, { stream: true });
      if (text.length > MOST_CHARACTERS) break;
    }
    return text;
  } catch {
    return "";
  }
}

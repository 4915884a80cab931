import { isIP } from "node:net";
import { askJson } from "./ask-json.js";
import type { Pace } from "./pace.js";
import type { UnifiSystem } from "./settings.js";

// Devices and clients of a UniFi console, by the Network application's API with a key that its owner has made.
// https://developer.ui.com/network/

const BASE = "/proxy/network/integration/v1";
const TOGETHER = 200;
const MOST = 20_000;

interface Page {
  readonly data?: readonly Entry[];
  readonly totalCount?: number;
}

/** A site, a device or a client. */
interface Entry {
  readonly id?: string;
  readonly name?: string;
  readonly model?: string;
  readonly macAddress?: string;
  readonly ipAddress?: string;
  readonly state?: string;
  readonly features?: unknown;
}

/** A machine as a line of the report has it. */
export interface ToldMachine {
  readonly addresses: readonly { readonly ip: string; readonly mac: string }[];
  readonly name?: string;
  readonly vendor?: string;
  readonly model?: string;
  readonly role?: string;
}

/** @throws Unavailable */
export async function askUnifi(
  system: UnifiSystem,
  { pace, signal }: { readonly pace: Pace; readonly signal: AbortSignal },
): Promise<ToldMachine[]> {
  const list = async (path: string): Promise<Entry[]> => {
    const found: Entry[] = [];
    for (let total = Infinity; found.length < Math.min(total, MOST);) {
      await pace();
      const query = `?offset=${found.length}&limit=${TOGETHER}`;
      const { data = [], totalCount = 0 } = (await askJson(
        system,
        BASE + path + query,
        { "x-api-key": system.api_key },
        signal,
      )) as Page;
      found.push(...data);
      total = data.length === 0 ? 0 : totalCount;
    }
    return found;
  };
  const machines: ToldMachine[] = [];
  for (const { id = "" } of await list("/sites")) {
    const site = `/sites/${encodeURIComponent(id)}`;
    machines.push(...(await list(`${site}/devices`)).filter(({ state }) => state === "ONLINE").flatMap(deviceOf));
    machines.push(...(await list(`${site}/clients`)).flatMap(clientOf));
  }
  return machines;
}

function deviceOf(entry: Entry): ToldMachine[] {
  const features = Array.isArray(entry.features) ? entry.features : Object.keys(entry.features ?? {});
  const role = features.includes("accessPoint") ? "AccessPoint" : features.includes("switching") ? "Switch" : null;
  return clientOf(entry).map((machine) => ({
    ...machine,
    vendor: "Ubiquiti",
    ...(entry.model !== undefined && { model: entry.model }),
    ...(role !== null && { role }),
  }));
}

/** What has an address: others are not machines of the network yet. */
function clientOf({ name = "", macAddress: mac = "", ipAddress: ip = "" }: Entry): ToldMachine[] {
  return isIP(ip) === 0 || mac === ""
    ? []
    : [{ addresses: [{ ip, mac }], ...(name !== "" && name !== mac && { name }) }];
}

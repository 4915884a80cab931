import { connect } from "node:net";
import { forEach, type Pace } from "./pace.js";

// Which TCP ports of machines are open, by connecting to them.

/** What an attempt says: `closed` if the machine answers that nothing listens. */
export type PortState = "open" | "closed" | "silent";

export interface PortsOf {
  readonly ip: string;
  readonly open: number[];
  /** Those that do not answer, as behind a firewall. */
  readonly silent: number[];
}

const CONNECT_MS = 1_000;
/** Packets of a connection that is accepted, besides the first one. */
const ACCEPTED_PACKETS = 3;
/** Below the 1,024 open files that many systems allow. */
const AT_A_TIME = 400;
/** Ports of which at least one answers on most machines, if only that it is closed. */
const TELLING = [443, 80, 22, 445];

/** The ports that are tried unless others are named: what homes and offices run. */
export const USUAL_PORTS: readonly number[] = [
  ...[
    21, 22, 23, 25, 53, 80, 81, 88, 110, 111, 135, 139, 143, 161, 389, 443, 445, 465, 515, 548, 554, 587, 631, 636, 873,
  ],
  ...[
    993, 995, 1080, 1194, 1433, 1521, 1883, 2049, 2222, 2375, 2376, 3000, 3001, 3128, 3260, 3306, 3389, 4533, 5000,
    5001,
  ],
  ...[5060, 5201, 5353, 5432, 5601, 5672, 5900, 5985, 6379, 6443, 6767, 7878, 8000, 8006, 8080, 8081, 8083, 8086, 8096],
  ...[8112, 8123, 8200, 8291, 8443, 8581, 8686, 8787, 8883, 8888, 8920, 8989, 9000, 9090, 9091, 9092, 9100, 9117, 9200],
  ...[9443, 9696, 10000, 11434, 19999, 27017, 32400, 51413],
];

/** Port lists such as `22,80,8000-8010`; null if the text is none. */
export function portsIn(text: string): number[] | null {
  const found = new Set<number>();
  for (const part of text.split(",")) {
    const [, from = "", to = from] = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part) ?? [];
    if (from === "" || Number(from) < 1 || Number(to) > 65_535 || Number(from) > Number(to)) return null;
    for (let port = Number(from); port <= Number(to); port++) found.add(port);
  }
  return [...found].sort((a, b) => a - b);
}

/** Machines that answer at any of a few ports, also behind routers. */
export async function answeringAmong(addresses: readonly string[], pace: Pace): Promise<Set<string>> {
  const found = new Set<string>();
  await forEach(addresses, AT_A_TIME, async (ip) => {
    for (const port of TELLING) {
      if ((await stateOf(ip, port, pace)) !== "silent") return void found.add(ip);
    }
  });
  return found;
}

/** Tries all ports of all machines, taking turns between them. */
export async function portsOf(
  addresses: readonly string[],
  ports: readonly number[],
  pace: Pace,
  onTried: (tried: number) => void,
): Promise<PortsOf[]> {
  // Those that are not tried in time have said nothing.
  const found = addresses.map((ip) => ({ ip, open: [] as number[], silent: new Set(ports) }));
  let tried = 0;
  // Those of one machine are apart, and one that is silent does not delay the others.
  const places = ports.flatMap((port) => found.map((machine) => ({ port, machine })));
  await forEach(places, AT_A_TIME, async ({ port, machine: { ip, open, silent } }) => {
    const state = await stateOf(ip, port, pace);
    if (state === "open") open.push(port);
    if (state !== "silent") silent.delete(port);
    onTried(++tried);
  });
  return found.map(({ ip, open, silent }) => ({ ip, open, silent: [...silent] }));
}

async function stateOf(ip: string, port: number, pace: Pace): Promise<PortState> {
  await pace();
  const state = await connected(ip, port);
  if (state === "open") pace.sent(ACCEPTED_PACKETS);
  return state;
}

function connected(host: string, port: number): Promise<PortState> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (state: PortState): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(state);
    };
    // An answer counts that has come while this process had no processor.
    const timer = setTimeout(() => setImmediate(end, "silent"), CONNECT_MS);
    socket.once("connect", () => end("open"));
    socket.once("error", ({ code }: NodeJS.ErrnoException) => end(code === "ECONNREFUSED" ? "closed" : "silent"));
  });
}

/** What the lab consists of, however it is built. */
import { execa } from "execa";

export const DOMAIN = "lab.example";
export const NETWORK = "10.77.0.0/24";
/** The router: it leases addresses, and looks at the others. */
export const ROUTER_IP = "10.77.0.1";

export interface Machine {
  readonly name: string;
  readonly ip: string;
  readonly mac: string;
  readonly listen: readonly Listening[];
}

interface Listening {
  readonly host: string;
  readonly port: number;
}

const NAS_IP = "10.77.0.50";
const WEB_IP = "10.77.0.51";
/** One has a card of its own; the other one has the MAC address that Docker would make of its address. */
export const MACHINES: readonly Machine[] = [
  {
    name: "nas",
    ip: NAS_IP,
    mac: "00:16:3e:00:00:0a",
    listen: [
      { host: "0.0.0.0", port: 2222 },
      { host: "::", port: 2222 },
      { host: "0.0.0.0", port: 8096 },
      { host: "127.0.0.1", port: 5432 },
    ],
  },
  {
    name: "web",
    ip: WEB_IP,
    mac: "02:42:0a:4d:00:33",
    listen: [
      { host: "0.0.0.0", port: 2222 },
      { host: WEB_IP, port: 9443 },
    ],
  },
];

/** The machine that runs the containers publishes a port of one of them, at its own address. */
export const DOCK = { name: "dock", ip: "10.77.0.254", mac: "00:16:3e:00:00:fe", port: 9000, publishes: 2222 };

/** All ports that something in the lab listens on. */
export const PORTS = [...new Set([53, DOCK.port, ...MACHINES.flatMap(({ listen }) => listen.map(({ port }) => port))])];

/** Machines that are up, and listen. */
export interface Lab {
  /** What a program is run with to be in the network of a machine. */
  prefixOf(machine: string): readonly string[];
  /** What only this kind of lab tells, as files. */
  see(): Promise<Readonly<Record<string, string>>>;
  remove(): Promise<void>;
}

/** What makes a machine listen, as arguments of Node. */
export function listening({ listen }: Machine): string[] {
  const places = JSON.stringify(listen.map((at) => ({ ...at, ipv6Only: true })));
  return ["-e", `for (const at of ${places}) require("net").createServer().listen(at)`];
}

/** Runs a program in the network of a machine. @returns what it printed */
export async function within(lab: Pick<Lab, "prefixOf">, machine: string, ...command: string[]): Promise<string> {
  const [program = "", ...args] = [...lab.prefixOf(machine), ...command];
  return (await execa(program, args)).stdout;
}

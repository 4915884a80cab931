/** The contents of the lab, however it is built. */
import { execa } from "execa";

export const DOMAIN = "lab.example";
export const NETWORK = "10.77.0.0/24";
/** The router leases addresses, and scans the others. */
export const ROUTER_IP = "10.77.0.1";

export interface Machine {
  readonly name: string;
  readonly ip: string;
  readonly mac: string;
  readonly listen: readonly BusListener[];
}

interface BusListener {
  readonly host: string;
  readonly port: number;
}

const NAS_IP = "10.77.0.50";
const WEB_IP = "10.77.0.51";
/** One has a vendor's MAC address; the other one the address that Docker derives from its IP address. */
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

/** All ports on which something in the lab listens. */
export const PORTS = [...new Set([53, DOCK.port, ...MACHINES.flatMap(({ listen }) => listen.map(({ port }) => port))])];

/** Machines that are up, and listen. */
export interface Lab {
  /** The command prefix that runs a program in the network of a machine. */
  prefixOf(machine: string): readonly string[];
  /** Reports of this kind of lab only, as files. */
  see(): Promise<Readonly<Record<string, string>>>;
  remove(): Promise<void>;
}

/** The arguments of Node.js that make a machine listen. */
export function listening({ listen }: Machine): string[] {
  const places = JSON.stringify(listen.map((at) => ({ ...at, ipv6Only: true })));
  return ["-e", `for (const at of ${places}) require("net").createServer().listen(at)`];
}

/** Runs a program in the network of a machine. @returns what it printed */
export async function within(lab: Pick<Lab, "prefixOf">, machine: string, ...command: string[]): Promise<string> {
  const [program = "", ...args] = [...lab.prefixOf(machine), ...command];
  return (await execa(program, args)).stdout;
}

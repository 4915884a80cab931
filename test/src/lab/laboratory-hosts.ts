/** Random laboratories with a known truth: four subnets, the last one behind a router, and machines of several kinds. */
import { randomOf } from "../support/archives.js";

export interface LabPort {
  readonly number: number;
  readonly kind: "ssh" | "http" | "https" | "quiet";
}

/** An interface of a machine. */
export interface LabHost {
  /** The machine that it belongs to. */
  readonly machine: string;
  readonly subnet: number;
  readonly ip: string;
  readonly mac: string;
  /** Its name in the DNS. */
  readonly ptr: string | null;
  readonly mdnsName: string | null;
  readonly ports: readonly LabPort[];
  /** It answers nothing but the question for its MAC address; behind the router, only the router knows it. */
  readonly isFirewalled: boolean;
}

export const SUBNETS = 4;
/** It is reached through a router. */
export const FAR = 3;
/** The address of the router on a link of the collector. */
export const ROUTER = "10.77.0.254";
export const DOMAIN = "lab.example";
const HOSTS = 60;
const NAMES = ["nas", "web", "printer", "camera", "tv", "pi", "desk", "phone"];
const SERVICES: readonly LabPort[] = [
  { number: 22, kind: "ssh" },
  { number: 80, kind: "http" },
  { number: 443, kind: "https" },
  { number: 8080, kind: "http" },
  { number: 9443, kind: "https" },
  { number: 5432, kind: "quiet" },
];

/** The address of the collector in a subnet, or of the router in the one behind it. */
export function gatewayIn(subnet: number): string {
  return `10.77.${subnet}.1`;
}

/** The first address of a subnet that no machine has. */
export function freeAddressIn(subnet: number, hosts: readonly LabHost[]): string {
  const taken = new Set(hosts.map(({ ip }) => ip));
  for (let last = 2; ; last++) if (!taken.has(`10.77.${subnet}.${last}`)) return `10.77.${subnet}.${last}`;
}

/** Machines by seed: most with one interface, some with a second address on their card. */
export function laboratoryOf(seed: number): LabHost[] {
  const below = randomOf(seed);
  const isWithin = (percent: number): boolean => below(100) < percent;
  const taken = new Set<string>();
  const addressIn = (subnet: number): string => {
    for (;;) {
      const ip = `10.77.${subnet}.${2 + below(250)}`;
      if (taken.has(ip) || ip === ROUTER) continue;
      taken.add(ip);
      return ip;
    }
  };
  return Array.from({ length: HOSTS }, (_, n) => n).flatMap((n): LabHost[] => {
    const machine = `${NAMES[n % NAMES.length] ?? ""}-${n}`;
    const subnet = n % SUBNETS;
    const isFirewalled = isWithin(15);
    const ports = isFirewalled ? [] : SERVICES.filter(() => isWithin(30));
    // Half of the cards have a vendor's address, the others a random one.
    const prefix = isWithin(50) ? "00:16:3e" : "02:1a:7b";
    const mac = `${prefix}:${[seed & 0xff, n >> 8, n & 0xff].map((byte) => byte.toString(16).padStart(2, "0")).join(":")}`;
    const one: LabHost = {
      machine,
      subnet,
      ip: addressIn(subnet),
      mac,
      ptr: isWithin(70) ? `${machine}.${DOMAIN}` : null,
      mdnsName: subnet !== FAR && n % 20 === 6 && !isFirewalled ? `${machine}-m` : null,
      ports,
      isFirewalled,
    };
    return isWithin(10) && subnet !== FAR
      ? [one, { ...one, ip: addressIn(subnet), mdnsName: null, ptr: null, ports: [] }]
      : [one];
  });
}

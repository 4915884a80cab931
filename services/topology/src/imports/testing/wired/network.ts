import type { Random } from "./random.js";

// Switched networks with all cables known: a tree of switches under a router, with aggregates, switches that do not tell their
// neighbours, stacks, unmanaged switches, hypervisors, telephones with a computer behind them, and access points.

export type Speech = "lldp" | "lldp2" | "cdp" | "none";

/** Those who speak the same hear each other. */
export function protocolOf(speech: Speech): "lldp" | "cdp" | "none" {
  return speech === "lldp2" ? "lldp" : speech;
}

export interface Machine {
  readonly name: string;
  readonly mac: string;
  readonly ip: string;
  readonly kind: "router" | "switch" | "unmanaged" | "host" | "hypervisor" | "guest" | "phone" | "access point";
  readonly speech: Speech;
  /** Whether its tables are read. */
  isWalked: boolean;
  readonly ports: string[];
}

export interface End {
  readonly machine: Machine;
  /** Null where nothing names it. */
  readonly port: string | null;
  /** Of the aggregate that the port is a member of. */
  readonly lag?: string;
}

export interface Cable {
  readonly ends: readonly [upper: End, lower: End];
  /** Of a bridge inside of a machine, or by radio. */
  readonly isInside?: boolean;
}

export interface WiredNetwork {
  readonly machines: readonly Machine[];
  readonly cables: readonly Cable[];
}

/** Unmanaged switches have active machines at least; with one it could not be told from a cable. */
const FEWEST_AT_UNMANAGED = 2;

export function createWiredNetwork(random: Random): WiredNetwork {
  const machines: Machine[] = [];
  const cables: Cable[] = [];
  const nextPort = new Map<Machine, number>();

  function machine(kind: Machine["kind"], more: Partial<Pick<Machine, "speech" | "isWalked">> = {}): Machine {
    const n = machines.length + 1;
    const bytes = [(n >> 8) & 255, n & 255].map((byte) => byte.toString(16).toUpperCase().padStart(2, "0"));
    const made: Machine = {
      name: `${kind.replaceAll(" ", "-")}-${n}`,
      mac: `${kind === "guest" ? "BC:24:11" : "00:1B:21"}:00:${bytes.join(":")}`,
      ip: `10.0.${n >> 8}.${n & 255}`,
      kind,
      speech: "none",
      isWalked: false,
      ports: [],
      ...more,
    };
    machines.push(made);
    return made;
  }

  function port(of: Machine): string {
    const n = (nextPort.get(of) ?? 0) + 1;
    nextPort.set(of, n);
    // Stacks number their ports by switch.
    const name = of.kind === "router" ? `ge-0/0/${n}` : `Gi${n > 12 ? 2 : 1}/0/${n}`;
    of.ports.push(name);
    return name;
  }

  function connect(upper: Machine, lower: Machine, isLag: boolean): void {
    const lag = isLag ? { lag: `Po${cables.length + 1}` } : {};
    for (let n = isLag ? 2 : 1; n > 0; n--)
      cables.push({
        ends: [
          { machine: upper, port: port(upper), ...lag },
          { machine: lower, port: port(lower), ...lag },
        ],
      });
  }

  const router = machine("router", { speech: random.pick(["lldp", "none"]), isWalked: true });
  const switches: Machine[] = [];
  const count = random.from(3, 9);
  for (let n = 0; n < count; n++) {
    const speech = random.pick(["lldp", "lldp", "lldp2", "cdp", "none"] as const);
    const upper = n === 0 ? router : random.pick(switches);
    // One that neither tells anything nor is read looks like an unmanaged one.
    const isHeard = protocolOf(speech) !== "none" && protocolOf(speech) === protocolOf(upper.speech);
    const lower = machine("switch", { speech, isWalked: n === 0 || !isHeard || random.chance(0.8) });
    connect(upper, lower, n > 0 && random.chance(0.25));
    switches.push(lower);
  }
  for (const upper of switches) for (let n = random.from(2, 8); n > 0; n--) addAt(upper);
  return { machines, cables };

  function addAt(upper: Machine): void {
    const kind = random.next();
    if (kind < 0.55) hang(upper, machine("host", { speech: random.pick(["none", "none", "none", "lldp"]) }));
    else if (kind < 0.7) {
      const unmanaged = machine("unmanaged");
      cables.push({
        ends: [
          { machine: upper, port: port(upper) },
          { machine: unmanaged, port: null },
        ],
      });
      for (let n = FEWEST_AT_UNMANAGED + random.below(3); n > 0; n--) hang(unmanaged, machine("host"));
    } else if (kind < 0.85) {
      const hypervisor = machine("hypervisor", { speech: random.pick(["none", "lldp"]) });
      hang(upper, hypervisor);
      for (let n = random.from(1, 4); n > 0; n--) inside(hypervisor, machine("guest"));
    } else if (protocolOf(upper.speech) !== "lldp")
      // One that nobody hears, with others behind it, looks like an unmanaged switch.
      hang(upper, machine("phone"));
    else if (kind < 0.93) {
      const phone = machine("phone", { speech: "lldp" });
      hang(upper, phone);
      if (random.chance(0.7)) inside(phone, machine("host"));
    } else {
      const accessPoint = machine("access point", { speech: "lldp" });
      hang(upper, accessPoint);
      for (let n = random.below(4); n > 0; n--) inside(accessPoint, machine("host"));
    }
  }

  function hang(upper: Machine, lower: Machine): void {
    const upperPort = upper.kind === "unmanaged" ? null : port(upper);
    cables.push({
      ends: [
        { machine: upper, port: upperPort },
        { machine: lower, port: "eth0" },
      ],
    });
  }

  function inside(upper: Machine, lower: Machine): void {
    cables.push({
      ends: [
        { machine: upper, port: null },
        { machine: lower, port: null },
      ],
      isInside: true,
    });
  }
}

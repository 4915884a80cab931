/** Random switched networks with a known truth: which port of which switch leads where. */
import { randomOf } from "../support/archives.js";

export interface Switched {
  readonly switches: readonly SwitchedDevice[];
  readonly machines: readonly SwitchedMachine[];
  readonly cables: readonly Cable[];
}

export interface SwitchedDevice {
  readonly name: string;
  readonly ip: string;
  readonly mac: string;
}

/** A machine with one card. */
export interface SwitchedMachine extends SwitchedDevice {
  /** It runs lldpd. */
  readonly isHeard: boolean;
}

/** From a port of a switch to one of another, or to the card of a machine; to several machines by an unmanaged switch. */
export interface Cable {
  readonly at: { readonly name: string; readonly port: string };
  readonly to: readonly { readonly name: string; readonly port: string | null }[];
}

export const SUBNET = "10.76.0.0/24";
/** The machine of the collector. */
export const EYE = "eye";
const SWITCHES = ["core", "office", "attic"];
const MACHINES = ["nas", "desk", "printer", "pi", "tv", "camera", "lamp", "phone"];
/** The card of a machine. */
export const CARD = "eth0";

export function switchedOf(seed: number): Switched {
  const below = randomOf(seed);
  const hex = (n: number): string => n.toString(16).padStart(2, "0");
  const switches = SWITCHES.slice(0, 2 + below(2)).map((name, n) => ({
    ...{ name, ip: `10.76.0.${2 + n}`, mac: `94:40:c9:${hex(seed & 0xff)}:00:${hex(n + 1)}` },
  }));
  const used = new Map<string, number>();
  const portOf = (name: string): { name: string; port: string } => {
    const port = (used.get(name) ?? 0) + 1 + below(3);
    used.set(name, port);
    return { name, port: `port${port}` };
  };
  const anySwitch = (most = switches.length): string => switches[below(most)]?.name ?? "";
  const cables: Cable[] = switches
    .slice(1)
    .map(({ name }, n) => ({ at: portOf(anySwitch(n + 1)), to: [portOf(name)] }));
  const machines = [EYE, ...MACHINES].map((name, n) => ({
    ...{ name, ip: `10.76.0.${20 + n}`, mac: `00:11:32:${hex(seed & 0xff)}:01:${hex(n)}` },
    isHeard: name === EYE || (n <= MACHINES.length - 2 && below(100) < 40),
  }));
  const hidden = machines.slice(-2);
  for (const { name, isHeard } of machines.slice(0, -2))
    cables.push({ at: portOf(name === EYE ? "core" : anySwitch()), to: [{ name, port: isHeard ? CARD : null }] });
  cables.push({ at: portOf(anySwitch()), to: hidden.map(({ name }) => ({ name, port: null })) });
  return { switches, machines, cables };
}

/** A name for an unmanaged switch at a port. */
export function hubAt({ name, port }: Cable["at"]): string {
  return `unmanaged at ${name} ${port}`;
}

/** The links that there are, as sorted texts such as `core port2 – nas eth0`. */
export function truthOf({ cables }: Pick<Switched, "cables">): string[] {
  return cables
    .flatMap(({ at, to }) => {
      const [only, another] = to;
      const hub = hubAt(at);
      if (only === undefined) return [];
      return another === undefined
        ? [textOf(at, only)]
        : [textOf(at, { name: hub, port: null }), ...to.map((one) => textOf(one, { name: hub, port: null }))];
    })
    .sort();
}

interface End {
  readonly name: string;
  readonly port: string | null;
}

export function textOf(...ends: readonly End[]): string {
  return ends
    .map(({ name, port }) => (port === null ? name : `${name} ${port}`))
    .sort()
    .join(" – ");
}

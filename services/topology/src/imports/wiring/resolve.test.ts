import { describe, expect, it } from "@jest/globals";
import type { Role } from "@nts/shared/contract";
import { wiringOf } from "./resolve.rules.js";
import type { MachineKeys, Machines, WiredDevice, WiredNeighbour, WiredPort } from "./wiring.rules.js";

// Machines are called by letters; their MAC addresses begin with 00:00:00 and end with the letter's code.

const macOf = (name: string): string =>
  `00:00:00:00:00:${(name.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, "0")}`;
const keysOf = (name: string): MachineKeys => ({ macs: [macOf(name)], ips: [], name });

interface Known {
  readonly unknown?: string;
  readonly runners?: Readonly<Record<string, string>>;
  readonly roles?: Readonly<Record<string, Role>>;
  /** Machines by further MAC addresses. */
  readonly cards?: Readonly<Record<string, string>>;
}

const machines = ({ unknown = "", runners = {}, roles = {}, cards = {} }: Known): Machines => {
  const ofMac = (mac: string): string | null => {
    const name = cards[mac] ?? String.fromCodePoint(parseInt(mac.slice(-2), 16));
    return mac.startsWith("00:00:00") || cards[mac] !== undefined ? (unknown.includes(name) ? null : name) : null;
  };
  return {
    ofMac,
    of: ({ macs, name }) => macs.map(ofMac).find((one) => one !== null) ?? name,
    runnerOf: (machine) => runners[machine] ?? null,
    roleOf: (machine) => roles[machine] ?? null,
    nameOf: (machine) => machine,
  };
};

interface Written {
  /** Ports besides those that follow; `1>Po` is a member of Po, `1.10` a subinterface of 1. */
  readonly ports?: string;
  /** Such as `1:B/5`: hears port 5 of B at port 1; `1:B` without a port. */
  readonly hears?: string;
  /** Such as `1:xyz`: has learnt x, y and z at port 1. Absent for a device without a table. */
  readonly learns?: string;
  readonly portMac?: string;
  readonly more?: Partial<WiredPort>;
}

function device(name: string, { ports = "", hears = "", learns, more = {} }: Written): WiredDevice {
  const heard = parts(hears).map((part) => part.split(":") as [string, string]);
  const learnt = parts(learns ?? "").map((part) => part.split(":") as [string, string]);
  const given = parts(ports).map((port) => port.split(">") as [string, string?]);
  const names = [
    ...new Set([...given.flat().flatMap((one) => one ?? []), ...[...heard, ...learnt].map(([port]) => port)]),
  ];
  const place = (port: string): number => names.indexOf(port);
  return {
    line: 1,
    name,
    machine: keysOf(name),
    ports: names.map((port): WiredPort => {
      const lag = given.find(([member]) => member === port)?.[1];
      const [carrier = ""] = port.split(".");
      return {
        ...{ name: port, called: [port], mac: null, speedMbps: null, isVirtual: false, vids: [] },
        lag: lag === undefined ? null : place(lag),
        carrier: port.includes(".") ? place(carrier) : null,
        ...more,
      };
    }),
    neighbours: heard.map(([port, other], line): WiredNeighbour => {
      const [machine = "", portName] = other.split("/");
      const portNames = portName === undefined ? [] : [portName];
      return { line, by: "lldp", port: place(port), machine: keysOf(machine), portNames, portMac: null };
    }),
    table:
      learns === undefined
        ? null
        : learnt.flatMap(([port, all]) =>
            [...all].map((one) => ({ port: place(port), mac: one === "!" ? "52:54:00:00:00:01" : macOf(one) })),
          ),
    vlans: [],
  };
}

const parts = (text: string): string[] => text.split(" ").filter((part) => part !== "");

/** Links such as `A 1 – B 2`, and unmanaged switches such as `A 1: xyz`. */
function told(
  devices: readonly WiredDevice[],
  known: Known = {},
): { readonly all: string[]; readonly reasons: string[] } {
  const { links, hubs, unclear } = wiringOf(devices, machines(known));
  const text = ({ machine, port }: { readonly machine: string; readonly port: string | null }): string =>
    `${machine} ${port ?? ""}`.trim();
  return {
    all: [
      ...links.map(({ ends }) => ends.map(text).sort().join(" – ")),
      ...hubs.map(({ at, members }) => `${text(at)}: ${members.map(text).sort().join(", ")}`),
    ].sort(),
    reasons: unclear.map(({ what, reason }) => `${what}: ${reason}`),
  };
}

const CASES: readonly (readonly [
  name: string,
  devices: readonly WiredDevice[],
  links: readonly string[],
  known?: Known,
])[] = [
  ["two that hear each other", [device("A", { hears: "1:B/2" }), device("B", { hears: "2:A/1" })], ["A 1 – B 2"]],
  ["one that hears a neighbour that was not read", [device("A", { hears: "1:B/eth0" })], ["A 1 – B eth0"]],
  ["one-sided, both read", [device("A", { hears: "1:B/2" }), device("B", { ports: "2" })], ["A 1 – B 2"]],
  [
    "a neighbour whose port only the neighbour knows",
    [device("A", { hears: "1:B" }), device("B", { hears: "2:A/1" })],
    ["A 1 – B 2"],
  ],
  [
    "two that hear each other without their ports",
    [device("A", { hears: "1:B" }), device("B", { hears: "2:A" })],
    ["A 1 – B 2"],
  ],
  [
    "two cables between two without their ports",
    [device("A", { hears: "1:B 2:B" }), device("B", { hears: "1:A 2:A" })],
    ["A 1 – B", "A 2 – B"],
  ],
  [
    "several cables between two",
    [device("A", { hears: "1:B/1 2:B/2" }), device("B", { hears: "1:A/1 2:A/2" })],
    ["A 1 – B 1", "A 2 – B 2"],
  ],
  [
    "members of an aggregate, whose tables name the aggregate",
    [
      device("A", { ports: "1>Po 2>Po", hears: "1:B/1 2:B/2", learns: "Po:Bx" }),
      device("B", { ports: "1>Po 2>Po", learns: "Po:Ay 3:x" }),
    ],
    ["A 1 – B 1", "A 2 – B 2", "B 3 – x"],
  ],
  [
    "an aggregate of switches that do not hear each other",
    [device("A", { ports: "1>Po 2>Po", learns: "Po:B 5:x" }), device("B", { ports: "1>Po 2>Po", learns: "Po:Ax" })],
    ["A 5 – x", "A Po – B Po"],
  ],
  ["a subinterface", [device("A", { ports: "1 1.10", hears: "1.10:B/2" })], ["A 1 – B 2"]],
  ["its own device", [device("A", { hears: "1:A/2" })], []],
  ["two neighbours at a port", [device("A", { hears: "1:B/1 1:C/1" })], []],
  ["a neighbour's port that two hear", [device("A", { hears: "1:C/1" }), device("B", { hears: "1:C/1" })], []],
  [
    "a port that contradicts",
    [device("A", { hears: "1:B/1" }), device("B", { hears: "1:C/1" }), device("C", { hears: "1:B/1" })],
    [],
  ],
  [
    "three that hear each other through an unmanaged switch",
    [
      device("A", { hears: "1:B/1 1:C/1" }),
      device("B", { hears: "1:A/1 1:C/1" }),
      device("C", { hears: "1:A/1 1:B/1" }),
    ],
    ["A 1: B 1, C 1"],
  ],
  [
    "a guest whose LLDP the bridge of its hypervisor passes on",
    [device("A", { hears: "1:H/eth0 1:v/eth0" })],
    ["A 1 – H eth0"],
    { runners: { v: "H" } },
  ],
  [
    "a chassis id that is the MAC address of another port",
    [{ ...device("A", {}), neighbours: [neighbourOf("00:00:00:FF:00:99")], ports: device("A", { ports: "1" }).ports }],
    ["A 1 – B 7"],
    { cards: { "00:00:00:FF:00:99": "B" } },
  ],
  [
    "a switch that tells nothing between two that hear each other",
    [
      device("A", { hears: "1:B/1", learns: "1:BCx 2:y" }),
      device("B", { hears: "1:A/1", learns: "1:ACy 2:x" }),
      device("C", { learns: "1:Ay 2:Bx" }),
    ],
    ["A 1 – C 1", "A 2 – y", "B 1 – C 2", "B 2 – x"],
  ],
  [
    "something that was learnt on both sides of a cable",
    [device("A", { hears: "1:B/1", learns: "1:Bxy" }), device("B", { hears: "1:A/1", learns: "1:Axy" })],
    [],
  ],
  [
    "a chain of switches that hear nobody",
    [device("A", { learns: "1:BCx 2:y" }), device("B", { learns: "1:Ay 2:Cx" }), device("C", { learns: "1:ABy 2:x" })],
    ["A 1 – B 1", "A 2 – y", "B 2 – C 1", "C 2 – x"],
  ],
  ["a machine alone at a port", [device("A", { learns: "1:x 2:y" })], ["A 1 – x", "A 2 – y"]],
  ["an unmanaged switch", [device("A", { learns: "1:xyz" })], ["A 1: x, y, z"]],
  ["an unmanaged switch with one known machine", [device("A", { learns: "1:xyz" })], ["A 1: x"], { unknown: "yz" }],
  ["nothing known at a port", [device("A", { learns: "1:xy" })], [], { unknown: "xy" }],
  ["a hypervisor with guests that nobody knows", [device("A", { learns: "1:x!" })], ["A 1 – x"]],
  ["guests of a known hypervisor", [device("A", { learns: "1:vw" })], ["A 1 – H"], { runners: { v: "H", w: "H" } }],
  ["only a guest of whom nobody knows what it runs on", [device("A", { learns: "1:!" })], []],
  ["machines behind a telephone that is heard", [device("A", { hears: "1:p", learns: "1:px" })], ["A 1 – p"]],
  [
    "an access point and others, which it may carry",
    [device("A", { learns: "1:wxy" })],
    [],
    { roles: { w: "AccessPoint" } },
  ],
  [
    "a MAC address at two places",
    [device("A", { learns: "1:Bxy 2:z" }), device("B", { learns: "1:Az 2:z 3:x 4:y" })],
    ["A 1 – B 1", "B 3 – x", "B 4 – y"],
  ],
  [
    "a MAC address that is out of date where another switch contradicts",
    [
      device("A", { hears: "1:B/1 2:C/1", learns: "1:Bx 2:Cy" }),
      device("B", { learns: "1:ACy 2:x" }),
      device("C", { learns: "1:ABx 2:y 3:x" }),
    ],
    ["A 1 – B 1", "A 2 – C 1", "B 2 – x", "C 2 – y"],
  ],
  [
    "machines behind a port that leads to their switch, which was not learnt there",
    [device("A", { learns: "1:xyz" }), device("B", { learns: "1:w 2:x 3:y 4:z" })],
    // Nor was the first one learnt by the other: it may be where w is.
    [],
  ],
  [
    "a machine that was learnt where its own switch is, which neither was learnt there nor has learnt it",
    [device("A", { learns: "1:x 2:r" }), device("B", { learns: "1:Ar" })],
    ["A 2 – r"],
  ],
  [
    "the same, where others tell where that switch is",
    [device("A", { learns: "1:x 2:rz" }), device("B", { learns: "1:A 2:r 3:z" })],
    ["A 1 – x"],
  ],
  [
    "the same, where links tell where that switch is",
    [device("A", { hears: "3:C/1", learns: "1:x" }), device("B", { hears: "1:C/2", learns: "1:A" }), device("C", {})],
    ["A 1 – x", "A 3 – C 1", "B 1 – C 2"],
  ],
  [
    "a switch of another network",
    [device("A", { learns: "1:x" }), device("B", { learns: "1:y" })],
    ["A 1 – x", "B 1 – y"],
  ],
  ["a bridge inside of a machine", [device("A", { hears: "1:B/1", learns: "2:xy", more: { isVirtual: true } })], []],
];

function neighbourOf(mac: string): WiredNeighbour {
  const machine = { macs: [mac], ips: [], name: null };
  return { line: 1, by: "lldp", port: 0, machine, portNames: ["7"], portMac: null };
}

describe("links of devices", () => {
  it.each(CASES)("%s", (_name, devices, links, known = {}) => {
    expect(told(devices, known).all).toEqual([...links].sort());
    // In whatever order they were read.
    expect(told([...devices].reverse(), known).all).toEqual([...links].sort());
  });

  it("are told why there are none", () => {
    expect(told([device("A", { hears: "1:B/1 1:C/1" })]).reasons).toEqual([
      "port 1 of A: several neighbours are heard there, and not all of them hear each other",
    ]);
    expect(told([device("A", { learns: "1:wx" })], { roles: { w: "AccessPoint" } }).reasons).toEqual([
      "port 1 of A: w and others were learnt there: it is not certain who is behind whom",
    ]);
  });

  it("carry the VLANs of both ends, at the speed of the slower", () => {
    const wired = (name: string, hears: string, speedMbps: number, vids: number[]) =>
      device(name, { hears, more: { speedMbps, vids } });
    const { links } = wiringOf(
      [wired("A", "1:B/1", 10_000, [10, 20]), wired("B", "1:A/1", 1_000, [20, 30])],
      machines({}),
    );
    expect(links).toMatchObject([{ speedMbps: 1_000, vids: [20] }]);
  });
});

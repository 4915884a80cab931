import type { Category, TopologyNode } from "@nts/shared/contract";
import { missedSince } from "./model.js";
import type { Mark } from "./past.js";

// Colours of the map. Related categories share one, because there are too many to distinguish; each has a contrast of
// at least 3:1 to its background (WCAG).

export type Scheme = "light" | "dark";

interface Family {
  readonly name: string;
  readonly categories: readonly Category[];
  readonly light: string;
  readonly dark: string;
}

export const FAMILIES: readonly Family[] = [
  {
    name: "Network",
    categories: ["NetworkCore", "NetworkAccess", "DNS", "VPN", "ReverseProxy", "SNMP"],
    light: "#1971c2",
    dark: "#74c0fc",
  },
  {
    name: "Security and identity",
    categories: ["NetworkSecurity", "AdBlock", "IdentityAndAccess"],
    light: "#d6336c",
    dark: "#faa2c1",
  },
  { name: "Data", categories: ["Storage", "Backup", "Database", "MessageQueue"], light: "#d9480f", dark: "#ffa94d" },
  {
    name: "Virtualization and development",
    categories: ["Virtualization", "Development"],
    light: "#7048e8",
    dark: "#b197fc",
  },
  { name: "Monitoring", categories: ["Monitoring", "Dashboard"], light: "#2b8a3e", dark: "#8ce99a" },
  {
    name: "Media, home and devices",
    categories: ["Media", "HomeAutomation", "IoT", "Printer", "Workstation", "Mobile"],
    light: "#a61e9b",
    dark: "#e599f7",
  },
  {
    name: "Work and communication",
    categories: ["Office", "ProjectManagement", "Messaging", "Conferencing", "Telephony", "Email", "Publishing"],
    light: "#8f6a00",
    dark: "#ffd43b",
  },
  { name: "Other", categories: ["OpenPorts", "Unknown", "Custom"], light: "#6c7881", dark: "#adb9c2" },
];

const FAMILY_OF: ReadonlyMap<Category, Family> = new Map(
  FAMILIES.flatMap((family) => family.categories.map((category) => [category, family])),
);

export interface Palette {
  readonly background: string;
  readonly text: string;
  readonly dimText: string;
  readonly subnet: string;
  readonly host: string;
  readonly disc: string;
  readonly discLine: string;
  readonly network: string;
  /** Missed by imports. */
  readonly missed: string;
  /** Not matching the search. */
  readonly faded: string;
  readonly edge: string;
  readonly crossing: string;
  readonly virtualization: string;
}

export const PALETTES: Readonly<Record<Scheme, Palette>> = {
  light: {
    background: "#ffffff",
    text: "#16222b",
    dimText: "#4f5d68",
    subnet: "#0b7285",
    host: "#34495a",
    disc: "#f0f6f8",
    discLine: "#c3d5db",
    network: "#9fb0ba",
    missed: "#89939b",
    faded: "#dfe6ea",
    edge: "#d3dde2",
    crossing: "#0b7285",
    virtualization: "#7048e8",
  },
  dark: {
    background: "#172026",
    text: "#e3eaee",
    dimText: "#9fb0ba",
    subnet: "#3bc9db",
    host: "#c3d2dc",
    disc: "#1d2930",
    discLine: "#35454f",
    network: "#5b6b76",
    missed: "#6b7780",
    faded: "#2f3c45",
    edge: "#33434d",
    crossing: "#3bc9db",
    virtualization: "#b197fc",
  },
};

/** Colours for additions, changes and deletions since a time. */
export const MARKS: Readonly<Record<Mark | "same", { readonly name: string } & Readonly<Record<Scheme, string>>>> = {
  new: { name: "New since then", light: "#2b8a3e", dark: "#51cf66" },
  gone: { name: "Gone since then", light: "#868e96", dark: "#868e96" },
  changed: { name: "Changed since then", light: "#c77700", dark: "#fcc419" },
  same: { name: "As it was", light: "#4c7fb0", dark: "#6f9fd0" },
};

/** Colours nodes by kind, or by what has changed if there are marks. */
export interface Colouring {
  readonly scheme: Scheme;
  /** Null for the present. */
  readonly marks: ReadonlyMap<string, Mark> | null;
}

export function colourOf(node: TopologyNode, { scheme, marks }: Colouring): string {
  return marks === null ? ownColour(node, scheme) : MARKS[marks.get(node.id) ?? "same"][scheme];
}

export const NOT_SEEN = "No longer seen";

function ownColour(node: TopologyNode, scheme: Scheme): string {
  if (missedSince(node) !== null) return PALETTES[scheme].missed;
  if (node.kind !== "service") return PALETTES[scheme][node.kind];
  return (FAMILY_OF.get(node.category) ?? FAMILIES[FAMILIES.length - 1])?.[scheme] ?? PALETTES[scheme].dimText;
}

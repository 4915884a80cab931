import type { Category, Role, TopologyNode } from "@nts/shared/contract";
import { tellingFirst } from "./icons.js";
import { type HostParts, missedSince, type Model } from "./model.js";
import type { Mark } from "./past.js";

// Colours of the map. Related categories share one, because there are too many to distinguish; each has a contrast of
// at least 3:1 to its background (WCAG).

export type Scheme = "light" | "dark";

export interface Family {
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
  { name: "Media and home", categories: ["Media", "HomeAutomation"], light: "#a61e9b", dark: "#e599f7" },
  { name: "Devices", categories: ["IoT", "Printer", "Workstation", "Mobile"], light: "#0a7d74", dark: "#63e6be" },
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
  readonly box: string;
  /** A box in a box. */
  readonly innerBox: string;
  readonly boxLine: string;
  readonly tile: string;
  readonly tileLine: string;
  readonly subnet: string;
  readonly host: string;
  readonly accent: string;
  /** The part of a bar that is not in use. */
  readonly free: string;
  /** Missed by imports. */
  readonly missed: string;
  /** Of the bars of hosts in several subnets, so that neighbouring ones differ. */
  readonly lines: readonly string[];
}

export const PALETTES: Readonly<Record<Scheme, Palette>> = {
  light: {
    background: "#f7f9fa",
    text: "#16222b",
    dimText: "#4f5d68",
    box: "#ffffff",
    innerBox: "#f4f8f9",
    boxLine: "#c3d1d8",
    tile: "#fbfcfd",
    tileLine: "#d5dee3",
    subnet: "#0b7285",
    host: "#34495a",
    accent: "#0b7285",
    free: "#dfe7eb",
    missed: "#6f7a83",
    lines: ["#0b7285", "#a61e9b", "#8f6a00", "#1971c2", "#d9480f", "#2b8a3e"],
  },
  dark: {
    background: "#10171c",
    text: "#e3eaee",
    dimText: "#9fb0ba",
    box: "#172026",
    innerBox: "#1b262d",
    boxLine: "#3a4a55",
    tile: "#1e2930",
    tileLine: "#33424c",
    subnet: "#3bc9db",
    host: "#c3d2dc",
    accent: "#66d9e8",
    free: "#2b3842",
    missed: "#87939c",
    lines: ["#3bc9db", "#e599f7", "#ffd43b", "#74c0fc", "#ffa94d", "#8ce99a"],
  },
};

/** Rings around what has been added, changed, deleted or missed since a time. */
export const MARKS: Readonly<Record<Mark, { readonly name: string } & Readonly<Record<Scheme, string>>>> = {
  new: { name: "New since then", light: "#2b8a3e", dark: "#51cf66" },
  gone: { name: "Gone since then", light: "#c2242b", dark: "#ff9a9a" },
  changed: { name: "Changed since then", light: "#b86e00", dark: "#fcc419" },
  missed: { name: "Not seen since then", light: "#7048e8", dark: "#b197fc" },
};

export const NOT_SEEN = "Not seen";

/** The colour of a node: of its kind or category; grey if imports have missed it. */
export function colourOf(node: TopologyNode, scheme: Scheme): string {
  if (missedSince(node) !== null) return PALETTES[scheme].missed;
  if (node.kind === "service") return familyOf(node.category)[scheme];
  return PALETTES[scheme][node.kind];
}

/** The colour of the line between what is selected and what it uses, or what uses it. @param isServer that is selected */
export function colourOfUse(isServer: boolean, scheme: Scheme): string {
  const { accent, lines } = PALETTES[scheme];
  return isServer ? (lines[4] ?? accent) : accent;
}

/** Roles by the colour of what they do in a network. */
const FAMILY_OF_ROLE: Readonly<Partial<Record<Role, Category>>> = {
  Router: "NetworkCore",
  Switch: "NetworkCore",
  AccessPoint: "NetworkAccess",
  Firewall: "NetworkSecurity",
  Hypervisor: "Virtualization",
  Nas: "Storage",
  Printer: "Printer",
  Camera: "IoT",
  Phone: "Telephony",
  Computer: "Workstation",
  Mobile: "Mobile",
  Media: "Media",
  Iot: "IoT",
  Ups: "IoT",
};

/** The colour of a host: that of what it is. */
function colourOfHost(host: HostParts, scheme: Scheme): string {
  if (missedSince(host.node) !== null) return PALETTES[scheme].missed;
  return familyOfHost(host)?.[scheme] ?? PALETTES[scheme].host;
}

/** That of its role, otherwise of the service that tells most; null if it has neither. */
export function familyOfHost({ node, services }: HostParts): Family | null {
  const [telling] = tellingFirst(services);
  const category = (node.role === null ? undefined : FAMILY_OF_ROLE[node.role]) ?? telling?.category;
  return category === undefined ? null : familyOf(category);
}

/** The colour of a node in the map and beside it. */
export function colourIn({ hosts }: Model, node: TopologyNode, scheme: Scheme): string {
  const host = node.kind === "host" ? hosts.get(node.id) : undefined;
  return host === undefined ? colourOf(node, scheme) : colourOfHost(host, scheme);
}

const LAST_FAMILY = FAMILIES[FAMILIES.length - 1] as Family;

export function familyOf(category: Category): Family {
  return FAMILY_OF.get(category) ?? LAST_FAMILY;
}

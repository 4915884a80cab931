import type { Category, Topology } from "@nts/shared/contract";
import { compareNames } from "../parts/names.js";
import { COMMON_MARKS, OTHER_MARKED } from "./common-marks.generated.js";
import { LINE_ICONS } from "./line-icons.generated.js";
import type { HostParts, ServiceNode } from "./model.js";

// Icons of hosts and services. The marks of products are large: those of rarer ones are loaded when a map shows one.

/** A path in a square of so many units. */
export interface Icon {
  readonly name: string;
  readonly path: string;
  readonly units: number;
  /** Otherwise it is an outline. */
  readonly isFilled: boolean;
}

const LINE = { units: 24, isFilled: false } as const;
const MARK = { units: 240, isFilled: true } as const;

export interface Icons {
  readonly ofHost: (host: HostParts) => Icon;
  readonly ofService: (service: ServiceNode) => Icon;
}

type Paths = Readonly<Record<string, string>>;

/** @param others marks of rarer products, by their names in the catalogue; null until they are loaded */
export function createIcons(others: Paths | null): Icons {
  const known = new Map<string, Icon>();
  const kept = (icon: Icon): Icon => {
    const same = known.get(icon.name) ?? icon;
    known.set(icon.name, same);
    return same;
  };
  const line = (name: string): Icon =>
    kept({ name: `line:${name}`, path: LINE_ICONS[name] ?? LINE_ICONS["Other"] ?? "", ...LINE });
  return {
    ofHost: ({ node, services }) => {
      if (node.role !== null) return line(node.role);
      if (node.virtualization_type !== null) return line("Guest");
      return line(services.length > 0 ? "Server" : "Unknown");
    },
    ofService: ({ service_definition, category }) => {
      const path = COMMON_MARKS[service_definition] ?? others?.[service_definition];
      return path === undefined ? line(category) : kept({ name: `mark:${service_definition}`, path, ...MARK });
    },
  };
}

const otherMarked = new Set(OTHER_MARKED);

/** Whether a map has a product whose mark is among the others. */
export function hasOtherMarks({ nodes }: Pick<Topology, "nodes">): boolean {
  return nodes.some((node) => node.kind === "service" && otherMarked.has(node.service_definition));
}

export async function loadOtherMarks(): Promise<Paths> {
  return (await import("./marks.generated.js")).OTHER_MARKS;
}

/** Categories that say least about a host. */
const VAGUE: ReadonlySet<Category> = new Set(["OpenPorts", "Unknown", "Custom"]);

const ordered = new WeakMap<readonly ServiceNode[], readonly ServiceNode[]>();

/** The services of a host, those of known products first, then by name. */
export function tellingFirst(services: readonly ServiceNode[]): readonly ServiceNode[] {
  const known = ordered.get(services);
  if (known !== undefined) return known;
  const weight = ({ category }: ServiceNode): number => (VAGUE.has(category) ? 1 : 0);
  const sorted = [...services].sort((a, b) => weight(a) - weight(b) || compareNames(a.label, b.label));
  ordered.set(services, sorted);
  return sorted;
}

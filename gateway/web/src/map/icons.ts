import type { Category } from "@nts/shared/contract";
import { LINE_ICONS } from "./line-icons.generated.js";
import { compareNames } from "../parts/names.js";
import type { HostParts, ServiceNode } from "./model.js";

// Icons of hosts and services. The marks of products are large, and loaded after the map is there.

/** A path in a square of 24 units. */
export interface Icon {
  readonly name: string;
  readonly path: string;
  readonly isFilled: boolean;
}

export interface Icons {
  readonly ofHost: (host: HostParts) => Icon;
  readonly ofService: (service: ServiceNode) => Icon;
}

type Paths = Readonly<Record<string, string>>;

/** @param marks of products, by their names in the catalogue; null until they are loaded */
export function createIcons(marks: Paths | null): Icons {
  const known = new Map<string, Icon>();
  const line = (name: string): Icon =>
    kept(known, `line:${name}`, LINE_ICONS[name] ?? LINE_ICONS["Other"] ?? "", false);
  return {
    ofHost: ({ node, services }) => {
      if (node.role !== null) return line(node.role);
      if (node.virtualization_type !== null) return line("Guest");
      return line(services.length > 0 ? "Server" : "Unknown");
    },
    ofService: ({ service_definition, category }) => {
      const mark = marks?.[service_definition];
      return mark === undefined ? line(category) : kept(known, `mark:${service_definition}`, mark, true);
    },
  };
}

function kept(known: Map<string, Icon>, name: string, path: string, isFilled: boolean): Icon {
  const icon = known.get(name) ?? { name, path, isFilled };
  known.set(name, icon);
  return icon;
}

export async function loadMarks(): Promise<Paths> {
  return (await import("./marks.generated.js")).MARKS;
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

import type { Virtualization } from "@nts/shared/contract";

// What sources say a host or a service runs on. It replaces what an earlier import said, and nothing that people have written.

/** What a file says that something runs on. */
export interface SeenVirtualization {
  /** Such as `Proxmox VE` or `Docker`. */
  readonly type: string;
  /** The name of the host it runs on; null for a service on its own host. */
  readonly runner: string | null;
  readonly details: Readonly<Record<string, string | number>>;
}

/** Details that imports write. */
const OF_IMPORTS: ReadonlySet<string> = new Set(["host_id", "node", "guest", "kind", "container", "image", "replicas"]);

/**
 * The virtualization of an entity with what a file says of it.
 *
 * @param runnerId of the host it runs on; null if unknown
 * @returns what is present, the same object, if nothing changes
 */
export function virtualizationTold(
  present: Virtualization | null,
  seen: SeenVirtualization | null,
  runnerId: string | null,
): Virtualization | null {
  if (seen === null || (present !== null && !isOfImport(present, seen))) return present;
  const isSameRunner = present !== null && present.details["node"] === seen.details["node"];
  const hostId = runnerId ?? (isSameRunner ? present.details["host_id"] : undefined);
  const details = { ...(hostId !== undefined && { host_id: hostId }), ...seen.details };
  const next = { type: seen.type, details };
  return JSON.stringify(present) === JSON.stringify(next) ? present : next;
}

function isOfImport({ type, details }: Virtualization, seen: SeenVirtualization): boolean {
  return type === seen.type && Object.keys(details).every((key) => OF_IMPORTS.has(key));
}

/** It in a few words, such as `Proxmox VE on pve1`; null if there is none. */
export function virtualizationText(virtualization: Virtualization | null): string | null {
  if (virtualization === null) return null;
  const { type, details } = virtualization;
  const { node, image } = details;
  if (typeof node === "string") return `${type} on ${node}`;
  return typeof image === "string" ? `${type} with ${image}` : type;
}

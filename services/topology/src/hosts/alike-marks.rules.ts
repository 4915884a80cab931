import { MARK_KINDS, type MarkKind } from "@nts/shared/contract/marks.rules";
import { compareNames, hostLabel, isDefaultName } from "../values/host-names.rules.js";

// When a serial number, DUID or machine id of several hosts says that they may be one machine, as imports judge it.

/** More hosts have a value that somebody has copied. */
const MOST_OF_MARK = 20;

/** What hosts with a mark are known by. */
export interface KnownBy {
  readonly id: string;
  /** Its hostname, or else its display name; null if that is an address. */
  readonly name: string | null;
  /** Keys of its marks. */
  readonly marks: readonly string[];
}

export function kindOfMark(key: string): MarkKind {
  return MARK_KINDS.find((kind) => key.startsWith(`${kind}:`)) ?? "serial";
}

/** Whether a mark of these hosts says that they may be one machine. A serial number does; what is copied with images does unless they differ. */
export function isEvidence(key: string, hosts: readonly KnownBy[]): boolean {
  if (hosts.length < 2 || hosts.length > MOST_OF_MARK) return false;
  if (kindOfMark(key) === "serial") return true;
  const serials = new Set(hosts.flatMap(({ marks }) => marks.filter((one) => kindOfMark(one) === "serial")));
  const names = hosts.flatMap(({ name }) => name ?? []).filter(hostLabel);
  const isOneName = names.every((name) => compareNames(name, names[0] ?? "") !== "different");
  return serials.size < 2 && isOneName && !names.some(isDefaultName);
}

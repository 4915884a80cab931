import type { Evidence } from "@nts/shared/contract";
import type { KnownHost } from "../storage/stores/hosts.js";
import { compareNames } from "../values/host-names.rules.js";
import type { MatchedBy } from "./match.rules.js";
import { agree } from "./merge.rules.js";
import type { SeenHost } from "./scan.rules.js";

// Why a sighting is taken for an existing host. What decided comes first; what else agrees follows.

/** Listed values of each kind. */
const MOST_VALUES = 10;

type Kind = Evidence["by"];

/** From the strongest to the weakest, as hosts are recognized. @see docs/imports.md "Why it is that host" */
const FACTS: readonly (readonly [kind: Kind, valuesIn: (seen: SeenHost, known: KnownHost) => readonly string[]])[] = [
  ["mac_address", ({ addresses }, { interfaces }) => common(addresses, interfaces, "mac")],
  ["hostname", ({ hostname }, { host }) => (isSameName(hostname, host.entity.hostname) ? [hostname ?? ""] : [])],
  ["ip_address", ({ addresses }, { interfaces }) => common(addresses, interfaces, "ip")],
];

/** @param by what decided */
export function evidenceFor(seen: SeenHost, known: KnownHost, by: MatchedBy): Evidence[] {
  const agreeing = FACTS.flatMap(([kind, valuesIn]) =>
    [...new Set(valuesIn(seen, known))].slice(0, MOST_VALUES).map((value): Evidence => ({ by: kind, value })),
  );
  const isDecisive = (one: Evidence): boolean => one.by === by;
  const decisive = agreeing.some(isDecisive) ? agreeing.filter(isDecisive) : outside(seen, known, by);
  return [...decisive, ...agreeing.filter((one) => !isDecisive(one))];
}

/** What decided, and does not follow from the host as it is: the request, or a MAC address that it has lost. */
function outside({ addresses }: SeenHost, { host }: KnownHost, by: MatchedBy): Evidence[] {
  if (by === "named") return [{ by: "request", value: host.entity.name }];
  if (by !== "mac_address") return [];
  const macs = new Set(addresses.flatMap(({ mac }) => mac ?? []));
  return [...macs].slice(0, MOST_VALUES).map((value): Evidence => ({ by: "former_mac_address", value }));
}

function common(
  addresses: SeenHost["addresses"],
  interfaces: KnownHost["interfaces"],
  which: "mac" | "ip",
): readonly string[] {
  return interfaces.flatMap(({ entity: { ip_address, mac_address } }) => {
    if (which === "mac")
      return addresses.some(({ mac }) => mac !== null && mac === mac_address) ? [mac_address ?? ""] : [];
    return addresses.some(({ ip, mac }) => ip === ip_address && agree(mac, mac_address)) ? [ip_address] : [];
  });
}

function isSameName(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && compareNames(one, other) !== "different";
}

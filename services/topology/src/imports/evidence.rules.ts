import type { Evidence } from "@nts/shared/contract";
import { MARK_KINDS, type MarkKind } from "@nts/shared/contract/marks.rules";
import type { KnownHost } from "../storage/stores/hosts.js";
import { compareNames } from "../values/host-names.rules.js";
import { marksObserved } from "../values/marks.rules.js";
import type { Match } from "./match.rules.js";
import { agree } from "./merge.rules.js";
import { marksIn } from "./packed-hosts.rules.js";
import type { SeenHost } from "./scan.rules.js";

// Why a sighting is taken for an existing host. What decided comes first; what else agrees follows.

/** Listed values of each kind. */
const MOST_VALUES = 10;

type Kind = Evidence["by"];
type Fact = readonly [kind: Kind, valuesIn: (seen: SeenHost, known: KnownHost) => readonly string[]];

/** From the strongest to the weakest, as hosts are recognized. @see docs/imports.md "Why it is that host" */
const FACTS: readonly Fact[] = [
  ["mac_address", ({ addresses }, { interfaces }) => cardsOf(macsIn(addresses), interfaces)],
  [
    "mac_address",
    ({ cards = [], isOnlyKnown }, { interfaces }) => (isOnlyKnown === true ? cardsOf(cards, interfaces) : []),
  ],
  [
    "chassis_id",
    ({ cards = [], isOnlyKnown }, { interfaces }) => (isOnlyKnown === true ? [] : cardsOf(cards, interfaces)),
  ],
  ...MARK_KINDS.map((kind): Fact => [kind, (seen, known) => commonMarks(seen, known, kind)]),
  ["hostname", ({ hostname }, { host }) => (isSameName(hostname, host.entity.hostname) ? [hostname ?? ""] : [])],
  ["ip_address", ({ addresses }, { interfaces }) => addressesOf(addresses, interfaces)],
];

/** @param match what decided */
export function evidenceFor(seen: SeenHost, known: KnownHost, match: Pick<Match, "by" | "value">): Evidence[] {
  const { by } = match;
  const agreeing = FACTS.flatMap(([kind, valuesIn]) =>
    [...new Set(valuesIn(seen, known))].slice(0, MOST_VALUES).map((value): Evidence => ({ by: kind, value })),
  );
  const isDecisive = (one: Evidence): boolean => one.by === by;
  const decisive = agreeing.some(isDecisive) ? agreeing.filter(isDecisive) : outside(seen, known, match);
  return [...decisive, ...agreeing.filter((one) => !isDecisive(one))];
}

/** What decided, and does not follow from the host as it is: the request, or a MAC address without an address. */
function outside(
  { addresses, cards = [] }: SeenHost,
  { host }: KnownHost,
  { by, value }: Pick<Match, "by" | "value">,
): Evidence[] {
  if (by === "named") return [{ by: "request", value: host.entity.name }];
  if (by === "hostname" || by === "ip_address") return [];
  if (by !== "mac_address") return value === undefined ? [] : [{ by, value }];
  if (value !== undefined && cards.includes(value)) return [{ by: "chassis_id", value }];
  const macs = value === undefined ? [...new Set(macsIn(addresses))] : [value];
  return macs.slice(0, MOST_VALUES).map((mac): Evidence => ({ by: "former_mac_address", value: mac }));
}

/** The serial numbers, for example, that both show. */
function commonMarks(seen: SeenHost, { host }: KnownHost, kind: MarkKind): readonly string[] {
  const theirs = new Set(marksObserved(host.entity.observed).map(({ key }) => key));
  return marksIn(seen)
    .filter((one) => one.kind === kind && theirs.has(one.key))
    .map(({ value }) => value);
}

function macsIn(addresses: SeenHost["addresses"]): readonly string[] {
  return addresses.flatMap(({ mac }) => mac ?? []);
}

/** MAC addresses that interfaces have. */
function cardsOf(cards: readonly string[], interfaces: KnownHost["interfaces"]): readonly string[] {
  if (cards.length === 0) return [];
  const own = new Set(cards);
  return interfaces.flatMap(({ entity: { mac_address: mac } }) => (mac !== null && own.has(mac) ? mac : []));
}

/** Addresses that interfaces have, while MAC addresses do not differ. */
function addressesOf(addresses: SeenHost["addresses"], interfaces: KnownHost["interfaces"]): readonly string[] {
  const macOf = new Map(addresses.map(({ ip, mac }) => [ip, mac]));
  return interfaces.flatMap(({ entity: { ip_address: ip, mac_address } }) => {
    const mac = macOf.get(ip);
    return mac !== undefined && agree(mac, mac_address) ? [ip] : [];
  });
}

function isSameName(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && compareNames(one, other) !== "different";
}

import type { Subnet } from "@nts/shared/contract";
import { blockAround, parseAddress, parseBlock } from "../values/addresses.js";
import type { SubnetPlace } from "./plan.rules.js";

// Finds the subnet of an address: the smallest containing one, else one to be created: the smallest block named by the
// caller, or the usual one. Blocks are indexed by prefix, for thousands of addresses and subnets.

const USUAL_BITS = { "4": 24, "6": 64 };

export interface Places {
  /** The subnet of an address. */
  of(ip: string): SubnetPlace;
  /** Prefix length of a subnet; -1 if unknown. */
  prefixOf(subnetId: string): number;
  /** The CIDR of an existing subnet. */
  cidrOf(subnetId: string): string | undefined;
  /** A subnet was created. */
  made(cidr: string, id: string): void;
  /** The requested subnets, in order. */
  requested(): SubnetPlace[];
}

/** Validates the caller's blocks. @throws AppError `validation_failed` at `subnet_hint` */
export function hintsOf(cidrs: readonly string[]): string[] {
  return cidrs.map((cidr, index) => parseBlock(cidr, `subnet_hint.${index}`).text);
}

/** The subnets of a network, and those that may be created. @param hints in canonical form */
export function createPlaces(subnets: readonly Subnet[], hints: readonly string[]): Places {
  const there = createLookup<Subnet>();
  const cidrs = new Map<string, string>();
  for (const subnet of [...subnets].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    there.add(subnet.cidr, subnet);
    cidrs.set(subnet.id, subnet.cidr);
  }
  const hinted = createLookup<string>();
  for (const cidr of hints) hinted.add(cidr, cidr);
  const ids = new Map<string, string>();
  const requested = new Map<string, () => SubnetPlace>();
  /** The usual blocks, by the leading bits of their addresses' keys. */
  const usual = new Map<string, string>();

  function usualBlock(ip: string, key: string): string {
    const bits = USUAL_BITS[key.startsWith("4") ? "4" : "6"];
    const first = firstBits(key, bits);
    const cidr = usual.get(first) ?? blockAround(ip, bits);
    usual.set(first, cidr);
    return cidr;
  }

  return {
    of: (ip) => {
      const { key } = parseAddress(ip);
      const known = there.find(key);
      if (known !== null) {
        const place = { id: known.id, cidr: known.cidr };
        requested.set(known.id, () => place);
        return place;
      }
      const cidr = hinted.find(key) ?? usualBlock(ip, key);
      const placeNow = (): SubnetPlace => ({ id: ids.get(cidr) ?? null, cidr });
      if (!requested.has(cidr)) requested.set(cidr, placeNow);
      return placeNow();
    },
    prefixOf: (subnetId) => Number(cidrs.get(subnetId)?.split("/")[1] ?? -1),
    cidrOf: (subnetId) => cidrs.get(subnetId),
    made: (cidr, id) => {
      ids.set(cidr, id);
      cidrs.set(id, cidr);
    },
    requested: () => [...requested.values()].map((place) => place()),
  };
}

/** Values by CIDR with longest-prefix lookup; of equal CIDRs the first counts. */
function createLookup<Value>() {
  const byBits = new Map<number, Map<string, Value>>();
  let lengths: number[] = [];
  return {
    add: (cidr: string, value: Value): void => {
      const [key = "", written = ""] = parseBlock(cidr, "cidr").key.split("/");
      const bits = Number(written);
      const values = byBits.get(bits) ?? new Map<string, Value>();
      byBits.set(bits, values);
      if (!values.has(firstBits(key, bits))) values.set(firstBits(key, bits), value);
      if (lengths.length < byBits.size) lengths = [...byBits.keys()].sort((a, b) => b - a);
    },
    find: (key: string): Value | null => {
      for (const bits of lengths) {
        const found = byBits.get(bits)?.get(firstBits(key, bits));
        if (found !== undefined) return found;
      }
      return null;
    },
  };
}

/** Family and leading bits of an address key, which is hexadecimal. */
function firstBits(key: string, bits: number): string {
  const whole = 1 + Math.floor(bits / 4);
  const rest = bits % 4;
  const last = rest === 0 ? "" : (parseInt(key[whole] ?? "0", 16) >> (4 - rest)).toString(16);
  return `${key.slice(0, whole)}${last}`;
}

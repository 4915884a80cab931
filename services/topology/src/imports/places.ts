import type { Subnet } from "@nts/shared/contract";
import { blockAround, parseAddress, parseBlock } from "../values/addresses.js";
import type { Place } from "./plan.rules.js";

// Which subnet an address is in: the smallest of the network that holds it; else one to be made, which is the smallest
// block that the caller has named, or the usual one around the address. A scan has thousands of addresses and a network may
// have as many subnets, so blocks are looked up by their first bits.

const USUAL_BITS = { "4": 24, "6": 64 };

export interface Places {
  /** The subnet of an address. */
  of(ip: string): Place;
  /** Bits of the prefix of a subnet; -1 when it is not known. */
  prefixOf(subnetId: string): number;
  /** The block of a subnet that is there. */
  cidrOf(subnetId: string): string | undefined;
  /** A subnet that was to be made is there. */
  made(cidr: string, id: string): void;
  /** The subnets that were asked for, in the order in which they were. */
  asked(): Place[];
}

/** Blocks that a caller has named, in canonical form. @throws AppError `validation_failed` at `subnet_hint` */
export function hintsOf(cidrs: readonly string[]): string[] {
  return cidrs.map((cidr, index) => parseBlock(cidr, `subnet_hint.${index}`).text);
}

/** The subnets of a network, and those that may be made. @param hints in canonical form */
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
  const asked = new Map<string, () => Place>();

  return {
    of: (ip) => {
      const { key } = parseAddress(ip);
      const known = there.find(key);
      if (known !== null) {
        const place = { id: known.id, cidr: known.cidr };
        asked.set(known.id, () => place);
        return place;
      }
      const cidr = hinted.find(key) ?? blockAround(ip, USUAL_BITS[key.startsWith("4") ? "4" : "6"]);
      const placeNow = (): Place => ({ id: ids.get(cidr) ?? null, cidr });
      if (!asked.has(cidr)) asked.set(cidr, placeNow);
      return placeNow();
    },
    prefixOf: (subnetId) => Number(cidrs.get(subnetId)?.split("/")[1] ?? -1),
    cidrOf: (subnetId) => cidrs.get(subnetId),
    made: (cidr, id) => {
      ids.set(cidr, id);
      cidrs.set(id, cidr);
    },
    asked: () => [...asked.values()].map((place) => place()),
  };
}

/** Values by block, of which the one with the longest prefix is found; of equal blocks the first one counts. */
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

/** The family and the first bits of the key of an address, which is written in hexadecimal digits. */
function firstBits(key: string, bits: number): string {
  const whole = 1 + Math.floor(bits / 4);
  const rest = bits % 4;
  const last = rest === 0 ? "" : (parseInt(key[whole] ?? "0", 16) >> (4 - rest)).toString(16);
  return `${key.slice(0, whole)}${last}`;
}

import { BlockList, isIPv6 } from "node:net";
import type { KeyLimits } from "@nts/shared/contract/internal";

/** Limits of a credential in addition to its rights. */
export interface CredentialLimits {
  mayComeFrom(address: string): boolean;
  /** Requests per minute; null if only the user's limit applies. */
  readonly perMinute: number | null;
  /** The secret is the one before the last rotation. */
  readonly isPrevious: boolean;
}

export const NO_LIMITS: CredentialLimits = { mayComeFrom: () => true, perMinute: null, isPrevious: false };

/** Prepares identity's limits for each request. @param limits undefined for a key without limits */
export function limitsOf(limits: KeyLimits | undefined, isPrevious: boolean): CredentialLimits {
  if (limits === undefined) return isPrevious ? { ...NO_LIMITS, isPrevious } : NO_LIMITS;
  const { allowed_ips, per_minute: perMinute } = limits;
  if (allowed_ips.length === 0) return { ...NO_LIMITS, perMinute, isPrevious };
  // A combined list would treat IPv4 as part of ::/0.
  const allowed = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const block of allowed_ips) {
    const [address = "", bits] = block.split("/");
    allowed[familyOf(address)].addSubnet(address, Number(bits), familyOf(address));
  }
  return {
    mayComeFrom: (address) => allowed[familyOf(address)].check(address, familyOf(address)),
    perMinute,
    isPrevious,
  };
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}

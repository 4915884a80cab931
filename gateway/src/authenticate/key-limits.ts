import { BlockList, isIPv6 } from "node:net";
import type { KeyLimits } from "@nts/shared/contract/internal";

/** What a credential is kept to, beside its rights. */
export interface CredentialLimits {
  mayComeFrom(address: string): boolean;
  /** Requests; null for the user's limit alone. */
  readonly perMinute: number | null;
  /** It is the secret before the last rotation. */
  readonly isPrevious: boolean;
}

export const NO_LIMITS: CredentialLimits = { mayComeFrom: () => true, perMinute: null, isPrevious: false };

/** What identity says, made ready for each request. @param limits undefined for a key without any */
export function limitsOf(limits: KeyLimits | undefined, isPrevious: boolean): CredentialLimits {
  if (limits === undefined) return isPrevious ? { ...NO_LIMITS, isPrevious } : NO_LIMITS;
  const { allowed_ips, per_minute: perMinute } = limits;
  if (allowed_ips.length === 0) return { ...NO_LIMITS, perMinute, isPrevious };
  // A list of both would take IPv4 for a part of ::/0.
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

import { hostWith, scanAttack, scanWith } from "../support/attacks/scans.js";

/** Each address is in an unknown subnet. */
export const attack = scanAttack("scans that would make 3,000 subnets", () => {
  const address = (n: number): string => `<address addr="2001:db8:${n.toString(16)}::1" addrtype="ipv6"/>`;
  return scanWith(Array.from({ length: 3_000 }, (_, n) => hostWith(address(n))).join(""));
});

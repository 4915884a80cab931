import { hostWith, scanAttack, scanWith } from "../support/attacks/scans.js";

export const attack = scanAttack("scans with one host of 40,000 addresses", () => {
  const address = (n: number): string => `<address addr="10.1.${n >> 8}.${n & 255}" addrtype="ipv4"/>`;
  return scanWith(hostWith(Array.from({ length: 40_000 }, (_, n) => address(n)).join("")));
});

import { hostWith, scanAttack, scanWith } from "../support/attacks/scans.js";

export const attack = scanAttack("scans with an element of 300,000 attributes", () => {
  const attributes = Array.from({ length: 300_000 }, (_, n) => `a${n}="x"`).join(" ");
  return scanWith(hostWith(`<address addr="10.1.2.3" addrtype="ipv4" ${attributes}/>`));
});

import { hostWith, scanAttack, scanWith } from "../support/attacks/scans.js";

export const attack = scanAttack("scans with an element name of 800 kB and 5,000 children", () => {
  const name = "n".repeat(800_000);
  return scanWith(hostWith(`<address addr="10.1.2.3" addrtype="ipv4"/><${name}>${"<a/>".repeat(5_000)}</${name}>`));
});

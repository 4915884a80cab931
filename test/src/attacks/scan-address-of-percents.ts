import { hostWith, scanAttack, scanWith } from "../support/attacks/scans.js";

/** A regular expression that strips a zone would backtrack at each `%`. */
export const attack = scanAttack("scans with an address of 100,000 percent signs and a line feed", () =>
  scanWith(hostWith(`<address addr="${"%".repeat(100_000)}&#10;" addrtype="ipv4"/>`)),
);

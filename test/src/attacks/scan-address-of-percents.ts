import { hostWith, scanAttack, scanWith } from "../support/attacks/scans.js";

/** An expression that cuts a zone off an address tries each `%` as its beginning. */
export const attack = scanAttack("scans with an address of 100,000 percent signs and a line feed", () =>
  scanWith(hostWith(`<address addr="${"%".repeat(100_000)}&#10;" addrtype="ipv4"/>`)),
);

import { hostWith, scanAttack, scanWith } from "../support/attacks/scans.js";

/** Each port is bound on each address. */
export const attack = scanAttack("scans with hosts of 40 addresses and 1,000 open ports", () => {
  const port = (n: number): string =>
    `<port protocol="tcp" portid="${n + 1}"><state state="open"/><service name="http"/></port>`;
  const ports = Array.from({ length: 1_000 }, (_, n) => port(n)).join("");
  const host = (at: number): string => {
    const addresses = Array.from({ length: 40 }, (_, n) => `<address addr="10.${at}.1.${n + 1}" addrtype="ipv4"/>`);
    return hostWith(`${addresses.join("")}<ports>${ports}</ports>`);
  };
  return scanWith(Array.from({ length: 10 }, (_, at) => host(at)).join(""));
});

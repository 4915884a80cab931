import { BlockList, isIP } from "node:net";
import { z } from "zod";

// Settings that are harmless on one machine, and fail silently where others can reach it. @see docs/exposing.md

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Whether only this machine reaches a host name or address. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const version = isIP(bare);
  if (version === 0) return bare === "localhost" || bare.endsWith(".localhost");
  return LOOPBACK.check(bare, version === 6 ? "ipv6" : "ipv4");
}

export const InsecureHttp = z
  .enum(["yes", "no"])
  .default("no")
  .describe(
    "`yes` accepts an http `PUBLIC_URL` although others reach the process: cookies and keys can be read on their way.",
  );

/** Settings of a process that listens. */
interface Exposed {
  readonly HOST: string;
  readonly PUBLIC_URL?: string | undefined;
  readonly INSECURE_HTTP: "yes" | "no";
}

/** Rejects an http `PUBLIC_URL` of a process that others reach, unless it is meant. */
export function checkPublicUrl({ value, issues }: z.core.ParsePayload<Exposed>): void {
  const { HOST, PUBLIC_URL, INSECURE_HTTP } = value;
  if (PUBLIC_URL === undefined || !PUBLIC_URL.startsWith("http:")) return;
  if (INSECURE_HTTP === "yes" || isLoopback(HOST)) return;
  const message =
    `is ${PUBLIC_URL}, but others can reach ${HOST}: cookies would not be Secure. Set the https URL that users open, ` +
    "or INSECURE_HTTP=yes if passwords may be read on their way";
  issues.push({ code: "custom", path: ["PUBLIC_URL"], message, input: PUBLIC_URL });
}

/** A warning about an http `PUBLIC_URL` of a process that others reach. */
export function httpWarning({ HOST, PUBLIC_URL }: Pick<Exposed, "HOST" | "PUBLIC_URL">): string[] {
  if (PUBLIC_URL?.startsWith("http:") !== true || isLoopback(HOST)) return [];
  return [
    `PUBLIC_URL is ${PUBLIC_URL}: cookies are not Secure, and passwords can be read on their way; see docs/exposing.md`,
  ];
}

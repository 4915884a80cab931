import { z } from "zod";

// Patterns of what zod validates, for the OpenAPI document. Those of zod itself lack the notation of IPv6 addresses
// whose last 32 bits are written like IPv4 (RFC 4291, section 2.2).

const bare = ({ source }: RegExp): string => source.slice(1, -1);
const GROUP = "[0-9a-fA-F]{1,4}";
/** `::` stands for at least one of the six groups. */
const BEFORE_IPV4 = [
  `(${GROUP}:){6}`,
  `::(${GROUP}:){0,5}`,
  ...[1, 2, 3, 4].map((groups) => `(${GROUP}:){${groups}}:(${GROUP}:){0,${5 - groups}}`),
  `(${GROUP}:){5}:`,
].join("|");
const IPV6 = `(${bare(z.regexes.ipv6)}|(${BEFORE_IPV4})${bare(z.regexes.ipv4)})`;

export const IPV6_PATTERN = `^${IPV6}$`;
export const IPV6_BLOCK_PATTERN = `^${IPV6}\\/(12[0-8]|1[01][0-9]|[1-9]?[0-9])$`;

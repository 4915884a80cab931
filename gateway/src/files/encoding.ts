import type { IncomingHttpHeaders } from "node:http";
import Negotiator from "negotiator";

/** Content encodings in which files are prepared, best first; `identity` is unencoded. */
export const ENCODINGS = ["br", "gzip", "identity"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * Chooses an available encoding by `Accept-Encoding`: the client's preference, then ours. A client that rejects all of
 * them gets `identity`.
 */
export function chooseEncoding(accepted: string | undefined, available: ReadonlySet<Encoding>): Encoding {
  const forms = ENCODINGS.filter((encoding) => available.has(encoding));
  const negotiator = new Negotiator({ headers: { "accept-encoding": accepted } });
  return negotiator.encoding(forms, { preferred: forms }) ?? "identity";
}

/** `Accept-Encoding` of a request; undefined if it has none. */
export function acceptedEncodings({ "accept-encoding": value }: IncomingHttpHeaders): string | undefined {
  return Array.isArray(value) ? value.join(",") : value;
}

import Negotiator from "negotiator";

/** The forms in which a file lies ready, best first. `identity` is as it is. */
export const ENCODINGS = ["br", "gzip", "identity"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * Chooses among the forms that there are by the header `Accept-Encoding`: the one that the client likes best, and of several
 * the best one. A client that refuses all of them gets the file as it is.
 */
export function chooseEncoding(accepted: string | undefined, available: ReadonlySet<Encoding>): Encoding {
  const forms = ENCODINGS.filter((encoding) => available.has(encoding));
  const negotiator = new Negotiator({ headers: { "accept-encoding": accepted } });
  return negotiator.encoding(forms, { preferred: forms }) ?? "identity";
}

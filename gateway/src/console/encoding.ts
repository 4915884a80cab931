/** The forms in which a file lies ready, best first. `identity` is as it is. */
export const ENCODINGS = ["br", "gzip", "identity"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * Chooses among the forms that there are by the header `Accept-Encoding`: the best one that is not refused. A client that
 * refuses all of them gets the file as it is.
 */
export function chooseEncoding(accepted: string | undefined, available: ReadonlySet<Encoding>): Encoding {
  const weights = weightsIn(accepted ?? "");
  const isAccepted = (encoding: Encoding): boolean => (weights.get(encoding) ?? weights.get("*") ?? 0) > 0;
  return ENCODINGS.find((encoding) => available.has(encoding) && isAccepted(encoding)) ?? "identity";
}

function weightsIn(accepted: string): Map<string, number> {
  return new Map(
    accepted.split(",").map((part) => {
      const [name = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="));
      return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0] as const;
    }),
  );
}

import type { IncomingMessage } from "node:http";
import type { Log } from "@nts/shared/log";

const EVERY_MS = 60_000;

/** Called with every request. */
export type NoteForwarded = (request: IncomingMessage) => void;

/**
 * Warns at most once a minute of `X-Forwarded-For` where no proxy is trusted: behind one, all clients have its address,
 * share its limits, and lock each other out.
 */
export function createNoteForwarded(
  trustedHops: number,
  log: Pick<Log, "warn">,
  now = () => performance.now(),
): NoteForwarded {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return ({ headers }) => {
    if (trustedHops > 0 || headers["x-forwarded-for"] === undefined || now() - warnedAt < EVERY_MS) return;
    warnedAt = now();
    log.warn(
      "requests arrive with X-Forwarded-For, but TRUST_PROXY_HOPS is 0: behind a proxy, all clients count as one address; " +
        "see docs/exposing.md",
    );
  };
}

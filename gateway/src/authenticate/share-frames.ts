import { boundedCache } from "@nts/shared/bounded-cache";
import type { ParentRequest } from "@nts/shared/http/headers";
import type { Log } from "@nts/shared/log";

/** Origins whose pages may contain a share: none for one that does not exist, and while identity does not respond. */
export type FramesOf = (shareId: string, request: { readonly cause: ParentRequest }) => Promise<readonly string[]>;

const MOST_KNOWN = 10_000;
/** They never change, but a share may end. */
const KNOWN_MS = 10_000;

export function createFramesOf(
  ask: (shareId: string, cause: ParentRequest) => Promise<readonly string[]>,
  log: Log,
): FramesOf {
  const known = boundedCache<Promise<readonly string[]>>(MOST_KNOWN, { ttl: KNOWN_MS });
  return (shareId, { cause }) => {
    const kept = known.get(shareId);
    if (kept !== undefined) return kept;
    const asked = ask(shareId, cause).catch((error: unknown) => {
      log.warn({ err: error }, "a page of a share may be in no frame, because identity did not respond");
      known.delete(shareId);
      return [];
    });
    known.set(shareId, asked);
    return asked;
  };
}

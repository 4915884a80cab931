import { validationFailed } from "@nts/shared/errors";

/** How many interfaces, ports and services a host can have, of each. */
export const MOST_ON_HOST = 1_000;

/** Bindings of all services of a host together; a service with no more than its share of them is never refused. */
export const MOST_BINDINGS_ON_HOST = 10_000;
export const SHARE_OF_BINDINGS = MOST_BINDINGS_ON_HOST / MOST_ON_HOST;

/**
 * Refuses what would put more on a host than it can have. What is only taken off is never refused.
 *
 * @param counts what is on the host afterwards, of the kinds of which something is added
 * @throws AppError `validation_failed` at `host_id`
 */
export function requireRoom(counts: Readonly<Record<string, number | null>>): void {
  for (const [kind, count] of Object.entries(counts))
    if (count !== null && count > MOST_ON_HOST)
      throw validationFailed({ path: "host_id", message: `a host can have at most ${MOST_ON_HOST} ${kind}` });
}

/** The same for the bindings of all its services. @throws AppError `validation_failed` at `bindings` */
export function requireRoomForBindings(count: number): void {
  if (count <= MOST_BINDINGS_ON_HOST) return;
  const message = `the services of a host can have at most ${MOST_BINDINGS_ON_HOST} bindings`;
  throw validationFailed({ path: "bindings", message });
}

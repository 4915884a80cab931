import { validationFailed } from "@nts/shared/errors";

/** Maximum interfaces, ports and services of a host, each. */
export const MOST_ON_HOST = 1_000;

/** Maximum bindings of all services of a host; a service within its share of them is never rejected. */
export const MOST_BINDINGS_ON_HOST = 10_000;
export const SHARE_OF_BINDINGS = MOST_BINDINGS_ON_HOST / MOST_ON_HOST;

/**
 * Rejects additions beyond the capacity of a host; removals are never rejected.
 *
 * @param counts the resulting numbers of the kinds that are added to
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

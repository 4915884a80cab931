import { performance } from "node:perf_hooks";
import { AppError } from "@nts/shared/errors";

/** What every changeable document has. */
export interface Revised {
  readonly revision: number;
  readonly updated_at: Date;
}

/** The revision after the present one; `updated_at` never goes back. */
export function nextRevision({ revision, updated_at }: Revised, now: Date): Revised {
  return { revision: revision + 1, updated_at: now > updated_at ? now : updated_at };
}

/** The members of `wanted` that differ from what is there; undefined ones ask for nothing. */
export function changesTo<T extends object>(
  current: T,
  wanted: { [Name in keyof T]?: T[Name] | undefined },
): Partial<T> {
  const entries = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(current[name as keyof T]),
  );
  return Object.fromEntries(entries) as Partial<T>;
}

/** Milliseconds before the deadline after which no other attempt begins: a change still has to reach the gateways. */
const RESERVE_MS = 2_000;

/**
 * Loads, decides and saves until no other writer came between: `attempt` returns null when one did.
 *
 * @param deadline of the call, as `performance.now()`
 * @throws AppError `write_conflict` when other writers were faster until the time was up
 */
export async function untilSaved<T>(deadline: number, attempt: () => Promise<T | null>): Promise<T> {
  do {
    const saved = await attempt();
    if (saved !== null) return saved;
  } while (performance.now() < deadline - RESERVE_MS);
  throw new AppError("write_conflict");
}

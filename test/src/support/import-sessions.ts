import { AppError } from "@nts/shared/errors";
import { createImportDesk, DESK_LIMITS, type ImportDesk } from "@nts/topology/imports/desk";
import { createSession } from "@nts/topology/imports/session";
import type { ImportThread } from "@nts/topology/imports/thread";

/**
 * Imports in the test's own thread: to start another one takes longer than most imports of tests do. What is handed in and
 * out is copied, as between threads; nothing limits what it takes.
 */
export function createImportDeskHere(): ImportDesk {
  return createImportDesk(DESK_LIMITS, startSession);
}

function startSession(): ImportThread {
  const session = createSession() as unknown as Readonly<Record<string, (...args: unknown[]) => unknown>>;
  let hasEnded = false;
  const asked = Object.entries(session).map(([name, answer]) => [
    name,
    async (...args: unknown[]) => {
      await Promise.resolve();
      if (hasEnded) throw new AppError("unavailable");
      return structuredClone(answer(...structuredClone(args)));
    },
  ]);
  return {
    session: Object.fromEntries(asked) as ImportThread["session"],
    end: () => {
      hasEnded = true;
      return Promise.resolve();
    },
  };
}

import { AppError } from "@nts/shared/errors";
import { createImportRunner, RUNNER_LIMITS, type ImportRunner } from "@nts/topology/imports/runner";
import { makersOf } from "@nts/topology/imports/makers.rules";
import { receiving } from "@nts/topology/imports/received-file";
import { RECIPES } from "@nts/topology/imports/recipes";
import { createSession } from "@nts/topology/imports/session";
import type { ImportThread, Remote } from "@nts/topology/imports/thread";

/**
 * Imports in the test's own thread, since starting a thread takes longer than most imports. Arguments and results are
 * copied as between threads; there are no limits.
 */
export function createInProcessImportRunner(): ImportRunner {
  return createImportRunner(RUNNER_LIMITS, startSession);
}

function startSession(): ImportThread {
  let hasEnded = false;
  let givesWay = false;
  return {
    begin: () => {
      const session = receiving(createSession(makersOf(RECIPES))) as unknown as Readonly<
        Record<string, (...args: unknown[]) => unknown>
      >;
      const methods = Object.entries(session).map(([name, method]) => [
        name,
        async (...args: unknown[]) => {
          await Promise.resolve();
          if (hasEnded) throw new AppError("unavailable");
          return structuredClone(await method(...structuredClone(args)));
        },
      ]);
      return Object.fromEntries(methods) as Remote;
    },
    hasEnded: () => hasEnded,
    giveWay: () => {
      givesWay = true;
    },
    hasGivenWay: () => givesWay,
    end: () => {
      hasEnded = true;
      return Promise.resolve();
    },
  };
}

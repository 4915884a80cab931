import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isTransient, isSignedOut } from "./failure.js";
import { SESSION_KEY } from "./session-key.js";

const FRESH_MS = 5_000;
const MOST_RETRIES = 2;
const FIRST_RETRY_MS = 500;

/** Creates the query cache. A response that says the session has ended makes the guard prompt for a sign-in. */
export function createQueries(): QueryClient {
  const onError = (error: unknown): void => {
    if (isSignedOut(error)) queries.setQueryData(SESSION_KEY, null);
  };
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => isTransient(error) && failures < MOST_RETRIES,
        retryDelay: (failures) => FIRST_RETRY_MS * 2 ** failures,
        // fail at once while offline
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
  return queries;
}

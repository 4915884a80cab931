import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isPassing, isSignedOut } from "./failure.js";
import { SESSION_KEY } from "./session-key.js";

const FRESH_MS = 5_000;
const MOST_RETRIES = 2;
const FIRST_RETRY_MS = 500;

/** What keeps the answers of the API. Whatever finds the session ended makes the guard ask for a new one. */
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
        retry: (failures, error) => isPassing(error) && failures < MOST_RETRIES,
        retryDelay: (failures) => FIRST_RETRY_MS * 2 ** failures,
        // what fails while the browser is offline shall say so at once
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
  return queries;
}

import { ApiError } from "@nts/shared/client";
import { isAtLeast, type Permission, type Whoami, whoami } from "@nts/shared/contract";
import { useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { api } from "../api/client.js";
import { isSignedOut } from "../api/failure.js";
import { SESSION_KEY } from "../api/session-key.js";

/** The current user; `data` is null if signed out. */
export function useSessionQuery(): UseQueryResult<Whoami | null> {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: ({ signal }) =>
      api.call(whoami, { signal }).catch((error: unknown) => {
        // A second session cookie makes requests ambiguous until the next sign-in or sign-out.
        if (isSignedOut(error) || (error instanceof ApiError && error.code === "malformed_request")) return null;
        throw error;
      }),
  });
}

/** Clears all cached data and reads the current user again. */
export function useSessionReset(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
    await queries.resetQueries({ queryKey: SESSION_KEY });
  };
}

export const SessionContext = createContext<Whoami | null>(null);

/** The current user; for components in the signed-in part only. */
export function useSession(): Whoami {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("There is no active session.");
  return session;
}

/** True if the caller's level is sufficient. */
export function useHasLevel(needed: Permission): boolean {
  return isAtLeast(useSession().permissions, needed);
}

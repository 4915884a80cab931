import { type ReactNode } from "react";
import { Navigate, Outlet, useLocation, useSearchParams } from "react-router";
import { PATHS } from "../paths.js";
import { FailureState } from "../parts/failure-state.js";
import { Waiting } from "../parts/waiting.js";
import { SessionContext, useSessionQuery } from "./session.js";

/** Lets the signed-in in, and takes everybody else to the sign-in page and back. */
export function SignedIn(): ReactNode {
  const { data, error, refetch } = useSessionQuery();
  const { pathname, search } = useLocation();
  if (error !== null && data === undefined) return <FailureState error={error} onRetry={() => void refetch()} page />;
  if (data === undefined) return <Waiting page />;
  if (data === null) {
    const next = pathname === PATHS.home ? "" : `?${new URLSearchParams({ next: pathname + search }).toString()}`;
    return <Navigate to={PATHS.signIn + next} replace />;
  }
  return (
    <SessionContext value={data}>
      <Outlet />
    </SessionContext>
  );
}

/** Pages for those who are not signed in; everybody else goes on to where they wanted to be. */
export function SignedOut(): ReactNode {
  const { data, error, refetch } = useSessionQuery();
  const next = useNextPath();
  if (error !== null && data === undefined) return <FailureState error={error} onRetry={() => void refetch()} page />;
  if (data === undefined) return <Waiting page />;
  return data === null ? <Outlet /> : <Navigate to={next} replace />;
}

/** Where to go after signing in: a path of ours, whatever the address says. */
export function useNextPath(): string {
  const [search] = useSearchParams();
  const next = search.get("next") ?? "";
  return /^\/(?![/\\])/.test(next) ? next : PATHS.home;
}

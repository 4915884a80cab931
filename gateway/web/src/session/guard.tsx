import type { Whoami } from "@nts/shared/contract";
import { Fragment, lazy, type ReactNode, Suspense, useState } from "react";
import { Navigate, Outlet, useLocation, useSearchParams } from "react-router";
import { PATHS } from "../paths.js";
import { FailureState } from "../parts/failure-state.js";
import { Waiting } from "../parts/waiting.js";
import { useInvite } from "./invite-link.js";
import { SessionContext, useSessionQuery } from "./session.js";

// It brings the forms along, which many pages do without.
const Invitation = lazy(() => import("./invitation.js"));
const SessionEnded = lazy(() => import("./session-ended.js"));

/**
 * Lets the signed-in in, and takes everybody else to the sign-in page and back. When a session ends, the page stays as it is,
 * below a window that asks to sign in again.
 */
export function SignedIn(): ReactNode {
  const { data, error, refetch } = useSessionQuery();
  const { pathname, search, hash } = useLocation();
  const [last, setLast] = useState<Whoami | null>(null);
  // not known at all: it was reset, because somebody has signed out
  const session = data === null ? last : (data ?? null);
  if (session !== last) setLast(session);
  if (error !== null && data === undefined) return <FailureState error={error} onRetry={() => void refetch()} page />;
  if (data === undefined) return <Waiting page />;
  if (session === null) {
    const next =
      pathname === PATHS.home ? "" : `?${new URLSearchParams({ next: pathname + search + hash }).toString()}`;
    return <Navigate to={PATHS.signIn + next} replace />;
  }
  return (
    <SessionContext value={session}>
      <Fragment key={`${session.user.id} ${session.organization.id}`}>
        <Outlet />
      </Fragment>
      {data === null && (
        <Suspense>
          <SessionEnded user={session.user} />
        </Suspense>
      )}
    </SessionContext>
  );
}

/** Pages for those who are not signed in; everybody else goes on to where they wanted to be, or is asked whether to join. */
export function SignedOut(): ReactNode {
  const { data, error, refetch } = useSessionQuery();
  const next = useNextPath();
  const invite = useInvite();
  if (error !== null && data === undefined) return <FailureState error={error} onRetry={() => void refetch()} page />;
  if (data === undefined) return <Waiting page />;
  if (data === null) return <Outlet />;
  if (invite === null) return <Navigate to={next} replace />;
  return (
    <Suspense fallback={<Waiting page />}>
      <Invitation token={invite} session={data} />
    </Suspense>
  );
}

/** Where to go after signing in: a path of ours, whatever the address says. */
export function useNextPath(): string {
  const [search] = useSearchParams();
  const next = search.get("next") ?? "";
  return /^\/(?![/\\])/.test(next) ? next : PATHS.home;
}

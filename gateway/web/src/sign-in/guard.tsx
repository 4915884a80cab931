import type { Whoami } from "@nts/shared/contract";
import { Fragment, lazy, type ReactNode, Suspense, useState } from "react";
import { Navigate, Outlet, useLocation, useSearchParams } from "react-router";
import { PATHS } from "../paths.js";
import { FailureState } from "../parts/failure-state.js";
import { Waiting } from "../parts/waiting.js";
import { useInvite } from "./invite-link.js";
import { SessionContext, useSessionQuery } from "../session/session.js";

// Loaded on demand, because it includes the forms library.
const Invitation = lazy(() => import("./invitation.js"));
const SessionEnded = lazy(() => import("./session-ended.js"));

/**
 * Shows its children to signed-in users, and redirects others to sign-in and back. If the session ends, the page stays
 * below a sign-in window.
 */
export function SignedIn(): ReactNode {
  const { data, error, refetch } = useSessionQuery();
  const { pathname, search, hash } = useLocation();
  const [last, setLast] = useState<Whoami | null>(null);
  // reset, because the user has signed out
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

/** Pages for signed-out users; others are redirected to their target, or asked to accept the invite. */
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

/** The local path to open after sign-in. */
export function useNextPath(): string {
  const [search] = useSearchParams();
  const next = search.get("next") ?? "";
  return /^\/(?![/\\])/.test(next) ? next : PATHS.home;
}

import { Anchor } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { Link, useLocation, useNavigate, useSearchParams } from "react-router";
import { PATHS } from "../paths.js";
import { challengeOf, problemText } from "./arrival.js";
import { SignedOutLayout } from "./signed-out-layout.js";
import { useNextPath } from "./guard.js";
import { useInvite } from "./invite-link.js";
import { useSessionReset } from "../session/session.js";
import { SignInForm } from "./sign-in-form.js";

/** Signing in; the guard redirects afterwards. */
export default function SignIn(): ReactNode {
  const { search, hash } = useLocation();
  const [parameters] = useSearchParams();
  const reset = useSessionReset();
  const navigate = useNavigate();
  const next = useNextPath();
  const invited = useInvite();
  const [challenge] = useState(() => challengeOf(hash));
  useEffect(() => {
    // Valid once, so it is removed from the URL.
    if (challenge !== null)
      void navigate(`?${new URLSearchParams({ next: challenge.next }).toString()}`, { replace: true });
  }, [challenge, navigate]);
  return (
    <SignedOutLayout
      title="Sign in"
      isIntroduced
      footer={
        <>
          No account yet?{" "}
          <Anchor component={Link} to={PATHS.signUp + search + hash} size="sm" underline="always">
            Create one
          </Anchor>
        </>
      }
    >
      <SignInForm
        challenge={challenge ?? undefined}
        problem={problemText(parameters.get("problem"))}
        returnTo={invited === null ? next : PATHS.signIn + search + hash}
        hint={invited === null ? hintOf(parameters) : "Sign in to join with your account."}
        onDone={() => void reset()}
      />
    </SignedOutLayout>
  );
}

function hintOf(parameters: URLSearchParams): string | undefined {
  return parameters.has("next") ? "Sign in to continue where you left off." : undefined;
}

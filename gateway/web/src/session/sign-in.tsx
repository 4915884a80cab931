import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { Link, useLocation, useSearchParams } from "react-router";
import { PATHS } from "../paths.js";
import { Entrance } from "./entrance.js";
import { useSessionReset } from "./session.js";
import { SignInForm } from "./sign-in-form.js";

/** Signing in; afterwards the guard around the page leads on. */
export default function SignIn(): ReactNode {
  const { search } = useLocation();
  const [parameters] = useSearchParams();
  const reset = useSessionReset();
  return (
    <Entrance
      title="Sign in"
      footer={
        <>
          No account yet?{" "}
          <Anchor component={Link} to={PATHS.signUp + search} size="sm" underline="always">
            Create one
          </Anchor>
        </>
      }
    >
      <SignInForm
        hint={parameters.has("next") ? "Sign in to continue where you left off." : undefined}
        onDone={() => void reset()}
      />
    </Entrance>
  );
}

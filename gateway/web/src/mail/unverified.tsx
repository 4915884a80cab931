import { Alert, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { useLocation } from "react-router";
import { PATHS } from "../paths.js";
import { useSession } from "../session/session.js";
import { SendAgain } from "./send-again.js";

/** Pages that show it themselves or need the space. */
const WITHOUT: readonly string[] = [PATHS.verifyEmail, PATHS.topology];

/** Reminds users to verify their address, if mail is configured. */
export function Unverified(): ReactNode {
  const { user, sends_mail } = useSession();
  const { pathname } = useLocation();
  if (user.email_verified || !sends_mail || WITHOUT.includes(pathname)) return null;
  return (
    <Alert color="yellow" mb="lg" title="Verify your email address" role="note">
      <Group justify="space-between">
        <span>Open the link in the mail to {user.email}. Until then, you cannot invite others by mail.</span>
        <SendAgain />
      </Group>
    </Alert>
  );
}

import { Alert, Anchor, Button, Stack, Text } from "@mantine/core";
import { acceptInvite, type InvitePreview, type Whoami } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { api } from "../api/client.js";
import { describeFailure, faultsByPath } from "../api/failure.js";
import { PATHS } from "../paths.js";
import { notifySuccess } from "../parts/toast.js";
import { SignedOutLayout } from "./signed-out-layout.js";
import { useInvitePreview, VOID_INVITE } from "./invite-link.js";
import { useActIn } from "../session/use-organizations.js";
import { useSignOut } from "../session/use-sign-out.js";

interface InvitationProps {
  readonly token: string;
  readonly session: Whoami;
}

/** An invite link opened while signed in: joins the organization and continues the session there. */
export default function Invitation({ token, session }: InvitationProps): ReactNode {
  const actIn = useActIn();
  const signOut = useSignOut();
  const invite = useInvitePreview(token);
  const [error, setError] = useState<unknown>(null);
  const [isJoining, setJoining] = useState(false);
  const join = async (): Promise<void> => {
    setError(null);
    setJoining(true);
    try {
      const { id, name } = await api.call(acceptInvite, { body: { token } });
      notifySuccess(`You have joined ${name}.`);
      await actIn(id);
    } catch (failure) {
      setError(failure);
    } finally {
      setJoining(false);
    }
  };
  return (
    <SignedOutLayout
      title="Join another organization"
      footer={
        <>
          Not you?{" "}
          <Anchor component="button" type="button" size="sm" underline="always" onClick={signOut}>
            Sign out
          </Anchor>
        </>
      }
    >
      <Stack>
        <Text size="sm">
          You are signed in as <b>{session.user.email}</b>. Your account joins {nameOf(invite)}, and stays in{" "}
          {session.organization.name}. You can change between them at any time.
        </Text>
        {(error !== null || invite === null) && (
          <Alert color="red" role="alert">
            {invite === null ? VOID_INVITE : problemOf(error)}
          </Alert>
        )}
        {invite !== null && (
          <Button onClick={() => void join()} loading={isJoining} fullWidth>
            Join
          </Button>
        )}
        <Button component={Link} to={PATHS.home} variant="default" fullWidth>
          Not now
        </Button>
      </Stack>
    </SignedOutLayout>
  );
}

function nameOf(invite: InvitePreview | null | undefined): string {
  return invite ? `${invite.organization_name} as ${invite.permissions}` : "the organization of this invitation";
}

function problemOf(error: unknown): string {
  if ("token" in faultsByPath(error)) return VOID_INVITE;
  const { title, text } = describeFailure(error);
  return `${title}. ${text}`;
}

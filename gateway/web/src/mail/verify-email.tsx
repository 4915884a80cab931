import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { verifyEmail } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useWrite } from "../api/queries.js";
import { PATHS } from "../paths.js";
import { Page, Panel } from "../parts/page.js";
import { refusalOf } from "../sign-in/refusal.js";
import { useSession } from "../session/session.js";
import { useLinkToken } from "./link-token.js";
import { SendAgain } from "./send-again.js";

/** The target of a verification link: verifies the address after confirmation. */
export default function VerifyEmail(): ReactNode {
  const { user } = useSession();
  const token = useLinkToken();
  const verify = useWrite(verifyEmail);
  return (
    <Page title="Verify your address">
      <Panel pad>
        <Stack>
          {user.email_verified ? (
            <>
              <Alert color="teal" role="status">
                The address {user.email} is verified.
              </Alert>
              <Group>
                <Button component={Link} to={PATHS.home}>
                  Continue
                </Button>
              </Group>
            </>
          ) : (
            <>
              {verify.error !== null && (
                <Alert color="red" role="alert">
                  {refusalOf(verify.error)}
                </Alert>
              )}
              <Text size="sm">
                You are signed in as <strong>{user.email}</strong>.{" "}
                {token === "" ? "Open the link in the mail, or request a new one." : "Is this your address?"}
              </Text>
              <Group>
                {token !== "" && (
                  <Button loading={verify.isPending} onClick={() => verify.mutate({ body: { token } })}>
                    Verify address
                  </Button>
                )}
                <SendAgain />
              </Group>
            </>
          )}
        </Stack>
      </Panel>
    </Page>
  );
}

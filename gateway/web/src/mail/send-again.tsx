import { Button } from "@mantine/core";
import { sendVerification } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useWrite } from "../api/queries.js";
import { notifySuccess, notifyFailure } from "../parts/toast.js";
import { useSession } from "../session/session.js";

/** Requests another verification mail. */
export function SendAgain(): ReactNode {
  const { user } = useSession();
  const send = useWrite(sendVerification);
  return (
    <Button
      variant="default"
      size="xs"
      loading={send.isPending}
      onClick={() =>
        send.mutate(
          {},
          {
            onSuccess: () => notifySuccess(`A mail is on its way to ${user.email}.`),
            onError: (error) => notifyFailure(error),
          },
        )
      }
    >
      Send mail again
    </Button>
  );
}

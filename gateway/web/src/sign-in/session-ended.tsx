import { getDefaultZIndex, Modal, Text } from "@mantine/core";
import type { Whoami } from "@nts/shared/contract";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useSessionReset } from "../session/session.js";
import { SignInForm } from "./sign-in-form.js";

/** Prompts for a sign-in above the page: the same user continues with all input, another one starts over. */
export default function SessionEnded({ user }: Pick<Whoami, "user">): ReactNode {
  const queries = useQueryClient();
  const reset = useSessionReset();
  return (
    <Modal
      opened
      onClose={() => undefined}
      title="Your session has ended"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      zIndex={getDefaultZIndex("max")}
      overlayProps={{ blur: 6 }}
    >
      <Text size="sm" mb="md">
        Sign in again to continue. Your input is kept.
      </Text>
      <SignInForm
        email={user.email}
        returnTo={location.pathname + location.search}
        onDone={({ id }) => void (id === user.id ? queries.invalidateQueries() : reset())}
      />
    </Modal>
  );
}

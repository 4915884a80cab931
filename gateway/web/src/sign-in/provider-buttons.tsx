import { Alert, Button, Divider, Stack } from "@mantine/core";
import { listProviders, prepareProviderSignIn } from "@nts/shared/contract";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../api/client.js";
import { useOne } from "../api/queries.js";
import { refusalOf } from "./refusal.js";

interface ProviderButtonsProps {
  /** The path to return to. */
  readonly returnTo: string;
  /** The token of an invite to accept. */
  readonly invite?: string | undefined;
}

/** Buttons for the identity providers; nothing if there are none. */
export function ProviderButtons({ returnTo, invite }: ProviderButtonsProps): ReactNode {
  const providers = useOne(listProviders, {}).data?.data ?? [];
  const begin = useMutation({
    mutationFn: (provider: string) =>
      api.call(prepareProviderSignIn, {
        params: { provider },
        body: { return_to: returnTo, ...(invite !== undefined && { invite_token: invite }) },
      }),
    onSuccess: ({ authorization_url }) => {
      location.assign(authorization_url);
    },
  });
  if (providers.length === 0) return null;
  return (
    <Stack mt="md">
      <Divider label="or" />
      {begin.error !== null && (
        <Alert color="red" role="alert">
          {refusalOf(begin.error)}
        </Alert>
      )}
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          variant="default"
          fullWidth
          // The browser leaves the page after the response.
          loading={begin.variables === id && (begin.isPending || begin.isSuccess)}
          onClick={() => begin.mutate(id)}
        >
          Continue with {name}
        </Button>
      ))}
    </Stack>
  );
}

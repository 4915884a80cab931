import { Alert, Button, PasswordInput, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import {
  type Identity,
  linkProvider,
  listIdentities,
  listProviders,
  type Provider,
  unlinkProvider,
} from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { useSearchParams } from "react-router";
import { useOne, useSend } from "../api/queries.js";
import { FormWindow } from "../forms/form-window.js";
import { useConfirm } from "../forms/confirm.js";
import { Part } from "../parts/part.js";
import { notifySuccess } from "../parts/toast.js";
import { When } from "../parts/when.js";
import { problemText } from "../sign-in/arrival.js";
import classes from "./settings.module.css";

/** Linked identity providers; nothing if none are configured. */
export function ProvidersPart(): ReactNode {
  const [parameters] = useSearchParams();
  const problem = problemText(parameters.get("problem"));
  const providers = useOne(listProviders, {}).data?.data ?? [];
  const identities = useOne(listIdentities, {}).data?.data.identities;
  const [linking, setLinking] = useState<Provider | null>(null);
  const unlink = useUnlinking();
  if (identities === undefined || (providers.length === 0 && identities.length === 0)) return null;
  const open = providers.filter(({ id }) => !identities.some(({ provider }) => provider === id));
  return (
    <Part title="Sign-in providers">
      {problem !== undefined && (
        <Alert color="red" role="alert" m="md">
          {problem}
        </Alert>
      )}
      <ul className={classes.sessions}>
        {identities.map((identity) => (
          <li key={identity.provider} className={classes.session}>
            <LinkedText identity={identity} />
            <Button
              size="xs"
              variant="subtle"
              color="red"
              aria-label={`Unlink ${identity.name}`}
              onClick={() => unlink(identity)}
            >
              Unlink
            </Button>
          </li>
        ))}
        {open.map((provider) => (
          <li key={provider.id} className={classes.session}>
            <div>
              <Text size="sm" fw={600}>
                {provider.name}
              </Text>
              <Text size="sm" c="dimmed">
                Not linked
              </Text>
            </div>
            <Button
              size="xs"
              variant="default"
              aria-label={`Link ${provider.name}`}
              onClick={() => setLinking(provider)}
            >
              Link
            </Button>
          </li>
        ))}
      </ul>
      {linking !== null && <LinkWindow provider={linking} onClose={() => setLinking(null)} />}
    </Part>
  );
}

function LinkedText({ identity }: { readonly identity: Identity }): ReactNode {
  const { name, email, linked_at, last_used } = identity;
  return (
    <div>
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <Text size="sm" c="dimmed">
        {email !== null && `${email} · `}linked <When at={linked_at} />
        {last_used !== null && (
          <>
            {" "}
            · used <When at={last_used} />
          </>
        )}
      </Text>
    </div>
  );
}

function useUnlinking(): (identity: Identity) => void {
  const ask = useConfirm();
  const send = useSend();
  return ({ provider, name }) =>
    ask({
      title: `Unlink ${name}?`,
      text: "You can no longer sign in with it. Sessions started with it end, possibly including this one.",
      verb: "Unlink",
      run: async () => {
        await send(unlinkProvider, { params: { provider } });
        notifySuccess(`${name} is unlinked.`);
      },
    });
}

/** Asks for the password, if there is one, and redirects to the provider. */
function LinkWindow({ provider, onClose }: { readonly provider: Provider; readonly onClose: () => void }): ReactNode {
  const send = useSend();
  const form = useForm({ initialValues: { password: "" } });
  const hasPassword = useOne(listIdentities, {}).data?.data.has_password !== false;
  return (
    <FormWindow
      title={`Link ${provider.name}`}
      form={form}
      onClose={onClose}
      stays
      verb="Continue"
      submit={async ({ password }) => {
        const body = password === "" ? {} : { password };
        const { authorization_url } = await send(linkProvider, { params: { provider: provider.id }, body });
        location.assign(authorization_url);
      }}
    >
      <Text size="sm">
        You sign in there and are redirected back. Afterwards you can sign in here with that account.
      </Text>
      {hasPassword && (
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          data-autofocus
          {...form.getInputProps("password")}
        />
      )}
    </FormWindow>
  );
}

import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { ApiError } from "@nts/shared/client";
import { type InvitePreview, register } from "@nts/shared/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import { api } from "../api/client.js";
import { describeFailure, faultsByPath } from "../api/failure.js";
import { SESSION_KEY } from "../api/session-key.js";
import { PATHS } from "../paths.js";
import { SignedOutLayout } from "./signed-out-layout.js";
import { useInvite, useInvitePreview, VOID_INVITE } from "./invite-link.js";
import { ProviderButtons } from "./provider-buttons.js";
import { useSessionReset } from "../session/session.js";

const EMPTY = { email: "", password: "", organization_name: "", invite_token: "" };

/** Creates an account: with its own organization, or in that of an invite. */
export default function SignUp(): ReactNode {
  const { search, hash } = useLocation();
  const invited = useInvite();
  const reset = useSessionReset();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({ initialValues: { ...EMPTY, invite_token: invited ?? "" } });
  const invite = usePrefill(form, invited);
  // Not `useWrite`, which would first refetch the session, so that the guard removes this page too early.
  const create = useMutation({
    mutationFn: (values: typeof EMPTY) => api.call(register, { body: bodyOf(values) }),
    onSuccess: () => goOn(),
    onError: (error) => form.setErrors(faultsOf(error)),
  });
  const isClosed = create.error instanceof ApiError && create.error.code === "registration_closed";
  const byDefault = isClosed ? "invite" : "organization";
  const isVoid = invite === null || form.errors["invite_token"] !== undefined;
  // If a second factor is required, there is an account but no session yet.
  const goOn = async (): Promise<void> => {
    // The invite is used up, so the guard must not offer it again.
    if (invited !== null) await navigate(PATHS.signUp, { replace: true });
    await reset();
    if (queries.getQueryData(SESSION_KEY) === null)
      await navigate(`${PATHS.signIn}?next=${encodeURIComponent(PATHS.home)}`);
  };
  const submit = form.onSubmit((values) => create.mutate(values));
  return (
    <SignedOutLayout
      isIntroduced={invited === null}
      title={invited === null ? "Create an account" : "Join your organization"}
      footer={
        <>
          Have an account?{" "}
          <Anchor component={Link} to={PATHS.signIn + search + hash} size="sm" underline="always">
            Sign in
          </Anchor>
        </>
      }
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <Invited invite={invite} />
          {create.error !== null && Object.keys(faultsOf(create.error)).length === 0 && (
            <Alert color="red" role="alert">
              {isClosed
                ? "Registration is by invitation only. Paste your invitation token, or open the invitation link."
                : `${describeFailure(create.error).title}. ${describeFailure(create.error).text}`}
            </Alert>
          )}
          <Fields form={form} asksFor={invited === null ? byDefault : isVoid ? "invite" : null} />
          <Button type="submit" loading={create.isPending} fullWidth>
            {invited === null ? "Create account" : "Join"}
          </Button>
          {invited !== null && (
            <Text size="sm" c="dimmed">
              The invitation can be used once.
            </Text>
          )}
        </Stack>
        {invited !== null && <ProviderButtons returnTo={PATHS.home} invite={invited} />}
      </form>
    </SignedOutLayout>
  );
}

/** Prefills the address that the invite was mailed to, which its link verifies. @returns the preview of the invite */
function usePrefill(form: UseFormReturnType<typeof EMPTY>, token: string | null): InvitePreview | null | undefined {
  const invite = useInvitePreview(token);
  const email = invite?.email ?? "";
  const { getValues, setFieldValue } = form;
  useEffect(() => {
    if (email !== "" && getValues().email === "") setFieldValue("email", email);
  }, [email, getValues, setFieldValue]);
  return invite;
}

function Invited({ invite }: { readonly invite: InvitePreview | null | undefined }): ReactNode {
  if (invite === undefined) return null;
  if (invite === null)
    return (
      <Alert color="red" role="alert">
        {VOID_INVITE}
      </Alert>
    );
  return (
    <Text size="sm">
      You are invited to <b>{invite.organization_name}</b> as {invite.permissions}.
    </Text>
  );
}

interface FieldsProps {
  readonly form: UseFormReturnType<typeof EMPTY>;
  /** Fields besides email and password; null for none. */
  readonly asksFor: "invite" | "organization" | null;
}

function Fields({ form, asksFor }: FieldsProps): ReactNode {
  return (
    <>
      <TextInput label="Email" type="email" autoComplete="username" required {...form.getInputProps("email")} />
      <PasswordInput
        label="Password"
        description="10 characters or more, and hard to guess"
        autoComplete="new-password"
        required
        {...form.getInputProps("password")}
      />
      {asksFor === "invite" && (
        <TextInput label="Invitation" autoComplete="off" {...form.getInputProps("invite_token")} />
      )}
      {asksFor === "organization" && (
        <TextInput
          label="Organization"
          description="You can rename it later"
          placeholder="My Organization"
          autoComplete="organization"
          {...form.getInputProps("organization_name")}
        />
      )}
    </>
  );
}

/** With an invite, the account joins its organization. */
function bodyOf({ email, password, organization_name, invite_token }: typeof EMPTY) {
  if (invite_token.trim() !== "") return { email, password, invite_token };
  return { email, password, ...(organization_name.trim() !== "" && { organization_name }) };
}

function faultsOf(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof ApiError && error.code === "already_exists") {
    const isInvited = error.params["hint"] !== undefined;
    const advice = isInvited ? "Sign in to join with it." : "If it is yours, sign in or reset its password.";
    return { email: `An account with this address already exists. ${advice}` };
  }
  const faults = faultsByPath(error);
  if ("invite_token" in faults) return { invite_token: VOID_INVITE };
  return faults;
}

import { Alert, Button, Group, PasswordInput, Stack, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ApiError } from "@nts/shared/client";
import { changePassword, listIdentities } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { describeFailure, faultsByPath } from "../api/failure.js";
import { useOne, useWrite } from "../api/queries.js";
import { Panel } from "../parts/page.js";
import { notifySuccess } from "../parts/toast.js";
import { useSession } from "../session/session.js";

export function PasswordPart(): ReactNode {
  const identities = useOne(listIdentities, {}).data?.data;
  // Users created by a provider have none.
  return identities?.has_password === false ? null : <PasswordForm />;
}

function PasswordForm(): ReactNode {
  const { user } = useSession();
  const change = useWrite(changePassword);
  const form = useForm({ initialValues: { current_password: "", new_password: "" } });
  const submit = form.onSubmit((body) => {
    change.mutate(
      { body },
      {
        onSuccess: () => {
          form.reset();
          notifySuccess("Password changed. Your other sessions have ended.");
        },
        onError: (error) => form.setErrors(faultsOf(error)),
      },
    );
  });
  const unplaced = change.error !== null && Object.keys(faultsOf(change.error)).length === 0;
  return (
    <Panel pad>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Title order={2}>Password</Title>
          {/* tells password managers which account it is for */}
          <input type="text" name="username" autoComplete="username" value={user.email} readOnly hidden />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            {...form.getInputProps("current_password")}
          />
          <PasswordInput
            label="New password"
            description="10 characters or more, and hard to guess"
            autoComplete="new-password"
            required
            {...form.getInputProps("new_password")}
          />
          {unplaced && (
            <Alert color="red" role="alert" title={describeFailure(change.error).title}>
              {describeFailure(change.error).text}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button type="submit" loading={change.isPending}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

function faultsOf(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof ApiError && error.code === "invalid_credentials")
    return { current_password: "Incorrect password." };
  return faultsByPath(error);
}

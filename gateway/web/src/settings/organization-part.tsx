import { Button, Group, NumberInput, Stack, Switch, TextInput, Title } from "@mantine/core";
import { type GetInputPropsReturnType, useForm } from "@mantine/form";
import {
  getOrganization,
  getSecondFactor,
  listProviders,
  LONGEST_KEY_LIFETIME_DAYS,
  type Organization,
  updateOrganization,
  updateOrganizationProfile,
} from "@nts/shared/contract";
import type { ReactNode } from "react";
import { faultsByPath } from "../api/failure.js";
import { type Revised, useOne, useWrite } from "../api/queries.js";
import { orNull } from "../forms/values.js";
import { FailureState } from "../parts/failure-state.js";
import { Panel } from "../parts/page.js";
import { notifySuccess, notifyFailure } from "../parts/toast.js";
import { Waiting } from "../parts/waiting.js";
import { useHasLevel } from "../session/session.js";
import classes from "./settings.module.css";

export function OrganizationPart(): ReactNode {
  const { data, error, refetch } = useOne(getOrganization, {});
  if (data === undefined)
    return (
      <Panel>{error === null ? <Waiting /> : <FailureState error={error} onRetry={() => void refetch()} />}</Panel>
    );
  return (
    <div className={classes.column}>
      {/* resets the form when the organization has changed */}
      <OrganizationForm key={data.etag} revised={data} />
      <ProfileForm organization={data.data} />
    </div>
  );
}

function OrganizationForm({ revised }: { readonly revised: Revised<Organization> }): ReactNode {
  const may = useHasLevel("Owner");
  const update = useWrite(updateOrganization);
  const { id, name, api_access_enabled, require_second_factor, password_login } = revised.data;
  const maxDays: number | "" = revised.data.max_key_lifetime_days ?? "";
  const form = useForm({
    initialValues: {
      ...{ name, api_access_enabled, require_second_factor, password_login },
      max_key_lifetime_days: maxDays,
    },
  });
  const submit = form.onSubmit(({ max_key_lifetime_days: days, ...values }) => {
    const body = { ...values, max_key_lifetime_days: days === "" ? null : days };
    update.mutate(
      { params: { id }, body, ...(revised.etag !== null && { ifMatch: revised.etag }) },
      {
        onSuccess: () => notifySuccess("Saved."),
        onError: (error) => {
          form.setErrors(faultsByPath(error));
          if (Object.keys(faultsByPath(error)).length === 0) notifyFailure(error);
        },
      },
    );
  });
  return (
    <Panel pad>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Title order={2}>Organization</Title>
          <TextInput label="Name" required={may} disabled={!may} {...form.getInputProps("name")} />
          <Switch
            label="Allow API keys"
            description={
              may
                ? "When off, no API key of the organization is accepted; users can still sign in"
                : "Only an Owner can change this"
            }
            disabled={!may}
            {...form.getInputProps("api_access_enabled", { type: "checkbox" })}
          />
          <KeyLifetimeField may={may} input={form.getInputProps("max_key_lifetime_days")} />
          <SecondFactorSwitch may={may} input={form.getInputProps("require_second_factor", { type: "checkbox" })} />
          <PasswordSwitch may={may} input={form.getInputProps("password_login", { type: "checkbox" })} />
          {may && (
            <Group justify="flex-end">
              <Button type="submit" loading={update.isPending} disabled={!form.isDirty()}>
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Panel>
  );
}

interface FieldProps {
  readonly may: boolean;
  /** Properties of a field. */
  readonly input: GetInputPropsReturnType;
}

function KeyLifetimeField({ may, input }: FieldProps): ReactNode {
  return (
    <NumberInput
      label="Maximum age of API key secrets, in days"
      description={
        may
          ? "Older secrets stop working until they are rotated, also those of existing keys; leave empty for no maximum"
          : "Only an Owner can change this"
      }
      min={1}
      max={LONGEST_KEY_LIFETIME_DAYS}
      allowDecimal={false}
      disabled={!may}
      {...input}
    />
  );
}

function SecondFactorSwitch({ may, input }: FieldProps): ReactNode {
  const own = useOne(getSecondFactor, {}).data?.data.enabled === true;
  return (
    <Switch
      label="Require a second factor"
      description={
        !may
          ? "Only an Owner can change this"
          : own
            ? "Users without one are signed out, and their API keys stop working, until they set one up at sign-in"
            : "Set up your own second factor first"
      }
      disabled={!may || !own}
      {...input}
    />
  );
}

/** Shown if other ways to sign in exist, or passwords are disabled. */
function PasswordSwitch({ may, input }: FieldProps): ReactNode {
  const hasProviders = (useOne(listProviders, {}).data?.data ?? []).length > 0;
  if (!hasProviders && input["checked"] === true) return null;
  return (
    <Switch
      label="Sign in with passwords"
      description={
        may
          ? "When off, users can sign in only with a provider. Sign in with one before turning this off"
          : "Only an Owner can change this"
      }
      disabled={!may}
      {...input}
    />
  );
}

function ProfileForm({ organization }: { readonly organization: Organization }): ReactNode {
  const update = useWrite(updateOrganizationProfile);
  const form = useForm({
    initialValues: { company_size: organization.company_size ?? "", job_title: organization.job_title ?? "" },
  });
  const submit = form.onSubmit(({ company_size, job_title }) => {
    update.mutate(
      { body: { company_size: orNull(company_size), job_title: orNull(job_title) } },
      {
        onSuccess: () => {
          form.resetDirty();
          notifySuccess("Saved.");
        },
        onError: (error) => {
          form.setErrors(faultsByPath(error));
          if (Object.keys(faultsByPath(error)).length === 0) notifyFailure(error);
        },
      },
    );
  });
  return (
    <Panel pad>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Title order={2}>Profile</Title>
          <TextInput label="Company size" {...form.getInputProps("company_size")} />
          <TextInput label="Job title" {...form.getInputProps("job_title")} />
          <Group justify="flex-end">
            <Button type="submit" loading={update.isPending} disabled={!form.isDirty()}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

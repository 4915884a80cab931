import { Checkbox, MultiSelect, NumberInput, Radio, Select, Stack, TagsInput, TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import {
  type KeyScope,
  getOrganization,
  createKey,
  getKey,
  isAtLeast,
  PERMISSIONS,
  type Permission,
  updateKey,
  type User,
  type UserApiKey,
} from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useOne, useWrite } from "../api/queries.js";
import { type Edited, ForEditing } from "../forms/for-editing.js";
import { FormWindow } from "../forms/form-window.js";
import { useSession } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { TagField } from "../tags/tag-field.js";
import { useTags } from "../tags/tags.js";
import { EXPIRY_CHOICES, type ExpiryChoice, expiryFault, expiryOf, momentIn } from "./expiry.js";

interface EditorProps {
  /** Null for a new key. */
  readonly id: string | null;
  /** The service account whose key it is; null for one's own. */
  readonly account: User | null;
  readonly onClose: () => void;
  /** Called with the secret of a new key, which is shown once. */
  readonly onCreated: (secret: string) => void;
}

export function KeyEditor({ id, account, onClose, onCreated }: EditorProps): ReactNode {
  if (id === null) return <KeyForm edited={null} account={account} onClose={onClose} onCreated={onCreated} />;
  return (
    <ForEditing operation={getKey} id={id} title="Edit API key" onClose={onClose}>
      {(edited) => <KeyForm edited={edited} account={account} onClose={onClose} onCreated={onCreated} />}
    </ForEditing>
  );
}

interface FormProps extends Pick<EditorProps, "account"> {
  readonly edited: Edited<UserApiKey> | null;
  readonly onClose: () => void;
  readonly onCreated: (secret: string) => void;
}

function KeyForm({ edited, account, onClose, onCreated }: FormProps): ReactNode {
  const { user, organization, permissions } = useSession();
  const own = account?.permissions ?? permissions;
  const tags = useTags();
  const create = useWrite(createKey);
  const update = useWrite(updateKey);
  const key = edited?.entity;
  const form = useForm({ initialValues: valuesOf(key), validate: { expires_at: expiryFault } });
  const levels = PERMISSIONS.filter((level) => isAtLeast(own, level) || level === key?.permissions);
  return (
    <FormWindow
      title={edited === null ? "New API key" : "Edit API key"}
      form={form}
      onClose={onClose}
      onReload={edited?.reload}
      verb={edited === null ? "Create" : "Save"}
      {...(edited !== null && { done: "Saved." })}
      submit={async (values) => {
        const body = { ...bodyOf(values, key), user_id: account?.id ?? user.id, organization_id: organization.id };
        if (edited === null) onCreated((await create.mutateAsync({ body })).key);
        else await update.mutateAsync({ params: { id: edited.entity.id }, body, ...edited.ifMatch });
      }}
    >
      <TextInput
        label="Name"
        description="What the key is used for"
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <Select
        label="Role"
        description={`The key acts with the lower of this and ${account === null ? "your own role" : "that of the account"}`}
        required
        allowDeselect={false}
        data={levels}
        {...form.getInputProps("permissions")}
      />
      <Select
        label="May"
        description="Programs that collect data need no more than to import it"
        allowDeselect={false}
        data={SCOPES}
        {...form.getInputProps("scope")}
      />
      <Limits form={form} account={account} />
      {edited !== null && <Checkbox label="Enabled" {...form.getInputProps("is_enabled", { type: "checkbox" })} />}
      <TagField known={tags} {...form.getInputProps("tags")} />
    </FormWindow>
  );
}

const SCOPES: { value: KeyScope; label: string }[] = [
  { value: "full", label: "Everything that its role allows" },
  { value: "collect", label: "Only import" },
];

function valuesOf(key: UserApiKey | undefined) {
  const permissions: Permission = key?.permissions ?? "Viewer";
  const scope: KeyScope = key?.scope ?? "full";
  const perMinute: number | "" = key?.rate_limit_per_minute ?? "";
  return {
    name: key?.name ?? "",
    permissions,
    scope,
    reach: key?.restricted === true ? "some" : "all",
    network_ids: key?.restricted === true ? key.network_ids : [],
    expires_at: expiryOf(key?.expires_at ?? null),
    is_enabled: key?.is_enabled ?? true,
    tags: key?.tags ?? [],
    allowed_ips: key?.allowed_ips ?? [],
    rate_limit_per_minute: perMinute,
  };
}

type Values = ReturnType<typeof valuesOf>;

function bodyOf({ reach, expires_at, rate_limit_per_minute, ...values }: Values, key: UserApiKey | undefined) {
  return {
    ...values,
    rate_limit_per_minute: rate_limit_per_minute === "" ? null : rate_limit_per_minute,
    network_ids: reach === "all" ? null : values.network_ids,
    expires_at: momentIn(expires_at, key?.expires_at ?? null, new Date()),
  };
}

interface LimitsProps extends Pick<EditorProps, "account"> {
  readonly form: UseFormReturnType<Values>;
}

/** Networks, expiry, addresses and rate limit of the key. */
function Limits({ form, account }: LimitsProps): ReactNode {
  const { networks: all } = useNetworkScope();
  const networks = account === null ? all : all.filter(({ id }) => account.network_ids.includes(id));
  const maxDays = useOne(getOrganization, {}).data?.data.max_key_lifetime_days ?? null;
  return (
    <>
      <Radio.Group label="Networks" {...form.getInputProps("reach")}>
        <Stack gap="xs" mt="xs">
          <Radio
            value="all"
            label={`All networks ${account === null ? "I" : account.name} can access, including future ones`}
          />
          <Radio value="some" label="Selected networks" />
        </Stack>
      </Radio.Group>
      {form.getValues().reach === "some" && (
        <MultiSelect
          aria-label="Networks of the key"
          searchable
          data={networks.map(({ id, name }) => ({ value: id, label: name }))}
          {...form.getInputProps("network_ids")}
        />
      )}
      <ExpiryField form={form} maxDays={maxDays} />
      <TagsInput
        label="Allowed addresses"
        description="Addresses or ranges (CIDR); leave empty to allow all"
        placeholder={form.getValues().allowed_ips.length === 0 ? "203.0.113.7 or 10.0.0.0/8" : ""}
        {...form.getInputProps("allowed_ips")}
        error={faultIn(form.errors)}
      />
      <NumberInput
        label="Requests per minute"
        description="Leave empty for your own limit"
        min={1}
        allowDecimal={false}
        {...form.getInputProps("rate_limit_per_minute")}
      />
    </>
  );
}

interface ExpiryFieldProps {
  readonly form: UseFormReturnType<Values>;
  /** The longest validity of a secret in the organization; null for none. */
  readonly maxDays: number | null;
}

function ExpiryField({ form, maxDays }: ExpiryFieldProps): ReactNode {
  const expiry = form.getValues().expires_at;
  const hasDate = expiry.choice === "date";
  const error = form.errors["expires_at"];
  return (
    <>
      <Select
        label="Expires"
        {...(maxDays !== null && {
          description: `Regardless of this, each secret is valid for at most ${maxDays === 1 ? "a day" : `${maxDays} days`}`,
        })}
        allowDeselect={false}
        data={[...EXPIRY_CHOICES]}
        value={expiry.choice}
        onChange={(choice) => form.setFieldValue("expires_at", { ...expiry, choice: choice as ExpiryChoice })}
        error={hasDate ? undefined : error}
      />
      {hasDate && (
        <TextInput
          type="datetime-local"
          label="Date"
          required
          value={expiry.at}
          onChange={({ currentTarget }) => form.setFieldValue("expires_at", { ...expiry, at: currentTarget.value })}
          error={error}
        />
      )}
    </>
  );
}

/** The fault of the first invalid address. */
function faultIn(errors: Readonly<Record<string, ReactNode>>): ReactNode {
  return Object.entries(errors).find(([path]) => path.startsWith("allowed_ips"))?.[1];
}

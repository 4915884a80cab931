import { Alert, Anchor, Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ApiError } from "@nts/shared/client";
import {
  deleteCurrentUser,
  deleteOrganization,
  exportArchive,
  leaveOrganization,
  listIdentities,
  type Whoami,
} from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { api } from "../api/client.js";
import { confirmed } from "../api/confirmed.js";
import { describeFailure, faultsByPath } from "../api/failure.js";
import { useOne } from "../api/queries.js";
import { Part } from "../parts/part.js";
import { notifySuccess } from "../parts/toast.js";
import { useHasLevel, useSession, useSessionReset } from "../session/session.js";
import classes from "./settings.module.css";

/** A destructive action. */
interface Leaving {
  readonly title: string;
  /** Its consequences. */
  readonly text: string;
  readonly verb: string;
  readonly done: string;
  /** Requires the name of the organization to be typed, after offering an archive. */
  readonly isOfAll?: boolean;
  readonly run: (meant: Meant, session: Whoami) => Promise<unknown>;
}

interface Meant {
  readonly proof: { readonly password?: string };
  readonly name: string;
}

const LEAVE: Leaving = {
  title: "Leave the organization",
  text: "Your API keys, sessions and invites in this organization are revoked at once; what you created stays with it. Your account continues in your other organizations, or, if this is the only one, in a new one of your own.",
  verb: "Leave",
  done: "You have left the organization.",
  run: ({ proof }) => api.call(leaveOrganization, { body: proof }),
};

const DELETE_ACCOUNT: Leaving = {
  title: "Delete your account",
  text: "Your account is deleted at once, with your API keys, sessions and invites, in all organizations. What you created stays with them.",
  verb: "Delete account",
  done: "Your account is deleted.",
  run: ({ proof }) => api.call(deleteCurrentUser, { body: proof }),
};

const DELETE_ORGANIZATION: Leaving = {
  title: "Delete the organization",
  text: "Everything in it is deleted for all users: networks, hosts and services, their history, API keys, webhooks, and the accounts that belong to no other organization. It cannot be undone.",
  verb: "Delete organization",
  done: "The organization is deleted.",
  isOfAll: true,
  run: ({ proof, name }, { organization: { id } }) =>
    api.call(deleteOrganization, { params: { id }, body: { ...proof, name } }),
};

/** Irreversible actions: leaving and deleting. */
export function LeavingPart(): ReactNode {
  const [option, setOption] = useState<Leaving | null>(null);
  const options = [LEAVE, DELETE_ACCOUNT, ...(useHasLevel("Owner") ? [DELETE_ORGANIZATION] : [])];
  return (
    <Part title="Danger zone">
      <ul className={classes.sessions}>
        {options.map((one) => (
          <li key={one.title} className={classes.session}>
            <Text size="sm" fw={600}>
              {one.title}
            </Text>
            <Button size="xs" variant="outline" color="red" onClick={() => setOption(one)}>
              {one.verb}…
            </Button>
          </li>
        ))}
      </ul>
      {option !== null && <LeavingWindow key={option.title} option={option} onClose={() => setOption(null)} />}
    </Part>
  );
}

function LeavingWindow({ option, onClose }: { readonly option: Leaving; readonly onClose: () => void }): ReactNode {
  const session = useSession();
  const reset = useSessionReset();
  const hasPassword = useOne(listIdentities, {}).data?.data.has_password !== false;
  const [error, setError] = useState<unknown>(null);
  const form = useForm({ initialValues: { password: "", name: "" } });
  const submit = form.onSubmit(async ({ name, password }) => {
    setError(null);
    try {
      // Users without a password need a recent sign-in.
      await confirmed(() => option.run({ name, proof: password === "" ? {} : { password } }, session));
      notifySuccess(option.done);
      await reset();
    } catch (failure) {
      form.setErrors(faultsOf(failure));
      setError(failure);
    }
  });
  const isPlaced = Object.keys(faultsOf(error)).length > 0;
  return (
    <Modal opened onClose={onClose} title={`${option.title}?`} closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm">{option.text}</Text>
          {option.isOfAll === true && (
            <WholeOrganization name={session.organization.name} field={form.getInputProps("name")} />
          )}
          {/* tells password managers which account it is for */}
          <input type="text" name="username" autoComplete="username" value={session.user.email} readOnly hidden />
          {hasPassword && (
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              required
              data-autofocus={option.isOfAll !== true || undefined}
              {...form.getInputProps("password")}
            />
          )}
          {error !== null && !isPlaced && (
            <Alert color="red" role="alert" title={describeFailure(error).title}>
              {describeFailure(error).text}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              color="red"
              loading={form.submitting}
              disabled={option.isOfAll === true && form.values.name.trim() !== session.organization.name}
            >
              {option.verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface WholeOrganizationProps {
  readonly name: string;
  readonly field: object;
}

/** Offers the archive, and requires the name to be typed. */
function WholeOrganization({ name, field }: WholeOrganizationProps): ReactNode {
  return (
    <>
      <Text size="sm">
        Keep what you may need later:{" "}
        <Anchor href={exportArchive.path} download underline="always" inherit>
          download the archive
        </Anchor>{" "}
        of the whole inventory first.
      </Text>
      <TextInput
        label={`Type the name of the organization: ${name}`}
        autoComplete="off"
        required
        data-autofocus
        {...field}
      />
    </>
  );
}

function faultsOf(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof ApiError && error.code === "invalid_credentials") return { password: "Incorrect password." };
  return faultsByPath(error);
}

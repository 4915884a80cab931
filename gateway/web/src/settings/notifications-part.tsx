import { Alert, Button, Checkbox, Group, MultiSelect, Stack, Switch, Text, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { getNotifications, type NewsEvent, type Notifications, updateNotifications } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { describeFailure } from "../api/failure.js";
import { useOne, useWrite } from "../api/queries.js";
import { FailureState } from "../parts/failure-state.js";
import { Panel } from "../parts/page.js";
import { notifySuccess } from "../parts/toast.js";
import { Waiting } from "../parts/waiting.js";
import { useNetworkScope } from "../scope/networks.js";
import { useSession } from "../session/session.js";

const EVENTS: readonly (readonly [NewsEvent, string])[] = [
  ["host_created", "A host is new"],
  ["host_missed", "A host is not seen any more"],
  ["host_returned", "A host is back"],
  ["service_missed", "A service is not seen any more"],
  ["certificate_ending", "A certificate ends soon"],
];

/** What the user is told by mail; nothing on a server without mail. */
export function NotificationsPart(): ReactNode {
  const { sends_mail } = useSession();
  return sends_mail ? <Loaded /> : null;
}

function Loaded(): ReactNode {
  const { data, error, refetch } = useOne(getNotifications, {});
  return (
    <Panel pad>
      <Title order={2} mb="xs">
        Notifications
      </Title>
      {data === undefined ? (
        error === null ? (
          <Waiting />
        ) : (
          <FailureState error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <NotificationsForm key={JSON.stringify(data.data)} wanted={data.data} />
      )}
    </Panel>
  );
}

function NotificationsForm({ wanted }: { readonly wanted: Notifications }): ReactNode {
  const { user } = useSession();
  const { networks } = useNetworkScope();
  const update = useWrite(updateNotifications);
  const form = useForm({ initialValues: { ...wanted, network_ids: wanted.network_ids ?? [] } });
  const { events, network_ids } = form.getValues();
  const submit = form.onSubmit(({ network_ids: chosen, ...values }) =>
    update.mutate(
      { body: { ...values, network_ids: chosen.length === 0 ? null : chosen } },
      { onSuccess: ({ events: saved }) => notifySuccess(saved.length === 0 ? "You get no mail." : "Saved.") },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">
          Mail to <strong>{user.email}</strong>, at most every ten minutes, when:
        </Text>
        {!user.email_verified && <Alert color="yellow">Verify your address first.</Alert>}
        <Checkbox.Group aria-label="Events" {...form.getInputProps("events")}>
          <Stack gap="xs">
            {EVENTS.map(([event, label]) => (
              <Checkbox key={event} value={event} label={label} disabled={!user.email_verified} />
            ))}
          </Stack>
        </Checkbox.Group>
        {events.length > 0 && (
          <>
            <MultiSelect
              label="Networks"
              placeholder={network_ids.length === 0 ? "All" : ""}
              searchable
              clearable
              data={networks.map(({ id, name }) => ({ value: id, label: name }))}
              {...form.getInputProps("network_ids")}
            />
            <Switch
              label="Only of hosts that nobody knows yet"
              {...form.getInputProps("only_unknown", { type: "checkbox" })}
            />
          </>
        )}
        {update.error !== null && (
          <Alert color="red" role="alert" title={describeFailure(update.error).title}>
            {describeFailure(update.error).text}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={update.isPending} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

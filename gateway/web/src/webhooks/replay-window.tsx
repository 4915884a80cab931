import { Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { listChanges, replayWebhook, type Webhook } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { api } from "../api/client.js";
import { useWrite } from "../api/queries.js";
import { FormWindow } from "../forms/form-window.js";
import { localText, momentOf } from "../forms/moments.js";
import { webhookName } from "../parts/names.js";

const AN_HOUR_MS = 3_600_000;

interface ReplayWindowProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** Resends changes since a time, or skips pending ones. */
export function ReplayWindow({ webhook, onClose }: ReplayWindowProps): ReactNode {
  const replay = useWrite(replayWebhook);
  const [anHourAgo] = useState(() => localText(new Date(Date.now() - AN_HOUR_MS).toISOString()));
  const form = useForm({
    initialValues: { what: "again", at: anHourAgo },
    validate: { at: (at, { what }) => (what === "again" && at === "" ? "is required" : null) },
  });
  const isAgain = form.getValues().what === "again";
  return (
    <FormWindow
      title={`Replay ${webhookName(webhook)}`}
      form={form}
      onClose={onClose}
      verb={isAgain ? "Send again" : "Skip"}
      done={isAgain ? "Changes since then are resent." : "Only new changes are sent."}
      submit={async ({ what, at }) => {
        const after = await cursorBefore(what === "again" ? momentOf(at) : null);
        await replay.mutateAsync({ params: { id: webhook.id }, body: { after } });
      }}
    >
      <Radio.Group label="What to send" {...form.getInputProps("what")}>
        <Stack gap="xs" mt="xs">
          <Radio value="again" label="All changes since a given time, in order" />
          <Radio value="newest" label="Only new changes; the backlog is skipped" />
        </Stack>
      </Radio.Group>
      {isAgain && (
        <TextInput
          type="datetime-local"
          label="Since"
          description="As far back as changes are retained"
          required
          {...form.getInputProps("at")}
        />
      )}
    </FormWindow>
  );
}

/** The cursor of the last change before a time, or of the newest one. */
async function cursorBefore(moment: string | null): Promise<string> {
  const query = { order_direction: "desc", limit: 1, ...(moment !== null && { until: moment }) } as const;
  const { data, oldest = "" } = await api.changes(listChanges, { query });
  return data[0]?.cursor ?? oldest;
}

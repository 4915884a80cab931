import { Group, NumberInput, Select, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import {
  type Collector,
  createCollector,
  type CreatedCollector,
  DEFAULT_PACKETS_PER_SECOND,
  getCollector,
  updateCollector,
} from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useWrite } from "../api/queries.js";
import type { EditorProps } from "../forms/entity-editor.js";
import { type Edited, ForEditing } from "../forms/for-editing.js";
import { FormWindow } from "../forms/form-window.js";
import { NetworkField, useLikelyNetwork } from "../forms/network-field.js";
import { blocksIn, SCHEDULES } from "./texts.js";

const ON_REQUEST = "request";
const OWN = "own";
const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

interface CollectorEditorProps extends EditorProps {
  /** Called with a new collector and its token, which is shown once. */
  readonly onCreated: (created: CreatedCollector) => void;
}

export function CollectorEditor({ id, onClose, onCreated }: CollectorEditorProps): ReactNode {
  if (id === null) return <CollectorForm edited={null} onClose={onClose} onCreated={onCreated} />;
  return (
    <ForEditing operation={getCollector} id={id} title="Edit collector" onClose={onClose}>
      {(edited) => <CollectorForm edited={edited} onClose={onClose} onCreated={onCreated} />}
    </ForEditing>
  );
}

interface FormProps extends Omit<CollectorEditorProps, "id"> {
  readonly edited: Edited<Collector> | null;
}

function CollectorForm({ edited, onClose, onCreated }: FormProps): ReactNode {
  const create = useWrite(createCollector);
  const update = useWrite(updateCollector);
  const likely = useLikelyNetwork();
  const form = useForm({ initialValues: valuesOf(edited?.entity, likely) });
  const { schedule } = form.getValues();
  return (
    <FormWindow
      title={edited === null ? "New collector" : "Edit collector"}
      form={form}
      onClose={onClose}
      onReload={edited?.reload}
      verb={edited === null ? "Create" : "Save"}
      {...(edited !== null && { done: "Saved. The next look follows the new settings." })}
      fieldOf={fieldOf}
      submit={async (values) => {
        const body = { network_id: values.network_id, ...settingsOf(values) };
        if (edited === null) onCreated(await create.mutateAsync({ body }));
        else await update.mutateAsync({ params: { id: edited.entity.id }, body, ...edited.ifMatch });
      }}
    >
      <TextInput
        label="Name"
        placeholder="Server in the attic"
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      {edited === null && <NetworkField {...form.getInputProps("network_id")} />}
      <Select
        label="Looks around"
        allowDeselect={false}
        data={[
          ...SCHEDULES.map(({ cron, text }) => ({ value: cron, label: text })),
          { value: OWN, label: "on a schedule of your own" },
          { value: ON_REQUEST, label: "only on request" },
        ]}
        {...form.getInputProps("schedule")}
      />
      {schedule === OWN && (
        <TextInput
          label="Schedule"
          description="Five fields of cron: minute, hour, day, month, day of the week"
          placeholder="*/30 8-18 * * 1-5"
          required
          {...form.getInputProps("cron")}
        />
      )}
      <Group grow align="start">
        <TextInput
          label="Not before"
          description="Empty for any time"
          placeholder="22:00"
          {...form.getInputProps("not_before")}
        />
        <TextInput
          label="Not after"
          description="May be the next morning"
          placeholder="06:00"
          {...form.getInputProps("not_after")}
        />
      </Group>
      <Textarea
        label="Where"
        description="Ranges such as 192.168.1.0/24. Leave empty for the networks of its machine"
        autosize
        minRows={1}
        {...form.getInputProps("where")}
      />
      <Textarea
        label="Except"
        description="Addresses and ranges to which it sends nothing, such as 192.168.1.66"
        autosize
        minRows={1}
        {...form.getInputProps("except")}
      />
      <NumberInput
        label="At most"
        suffix=" packets a second"
        min={1}
        max={10_000}
        allowDecimal={false}
        {...form.getInputProps("packets_per_second")}
      />
    </FormWindow>
  );
}

function valuesOf(collector: Collector | undefined, likelyNetwork: string) {
  const cron = collector === undefined ? "0 * * * *" : collector.schedule?.cron;
  const isOffered = SCHEDULES.some((one) => one.cron === cron);
  const zone = collector?.schedule?.time_zone ?? collector?.window?.time_zone ?? OWN_ZONE;
  return {
    network_id: collector?.network_id ?? likelyNetwork,
    name: collector?.name ?? "",
    schedule: cron === undefined ? ON_REQUEST : isOffered ? cron : OWN,
    cron: cron === undefined || isOffered ? "" : cron,
    not_before: collector?.window?.from ?? "",
    not_after: collector?.window?.to ?? "",
    zone,
    where: (collector?.targets.cidrs ?? []).join("\n"),
    except: (collector?.targets.exclude ?? []).join("\n"),
    packets_per_second: (collector?.packets_per_second ?? DEFAULT_PACKETS_PER_SECOND) as number | string,
  };
}

function settingsOf(values: ReturnType<typeof valuesOf>) {
  const { name, schedule, cron, not_before: from, not_after: to, zone: time_zone, packets_per_second } = values;
  return {
    name,
    schedule: schedule === ON_REQUEST ? null : { cron: schedule === OWN ? cron : schedule, time_zone },
    window: from === "" && to === "" ? null : { from, to, time_zone },
    targets: { cidrs: blocksIn(values.where), exclude: blocksIn(values.except) },
    packets_per_second: Number(packets_per_second),
  };
}

/** The API reports members of settings, and single blocks. */
function fieldOf(path: string): string {
  return path
    .replace(/^targets\.cidrs.*$/, "where")
    .replace(/^targets\.exclude.*$/, "except")
    .replace(/^window\.from$/, "not_before")
    .replace(/^window\.to$/, "not_after")
    .replace(/^(?:schedule|window)\.time_zone$/, "schedule")
    .replace(/^schedule\.cron$/, "cron");
}

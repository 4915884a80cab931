import { Checkbox, MultiSelect, NumberInput, Select, TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import {
  createWebhook,
  getWebhook,
  KIND_NAMES,
  updateWebhook,
  type Webhook,
  WEBHOOK_FORMATS,
} from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useWrite } from "../api/queries.js";
import type { EditorProps } from "../forms/entity-editor.js";
import { type Edited, ForEditing } from "../forms/for-editing.js";
import { FormWindow } from "../forms/form-window.js";
import { CHANGE_ACTION_CHOICES } from "../parts/texts.js";
import { useNetworkScope } from "../scope/networks.js";
import { TagField } from "../tags/tag-field.js";
import { useTags } from "../tags/tags.js";
import { FORMATS } from "./texts.js";

const NOTHING_LEFT_OUT: Webhook["filter"] = { network_ids: [], entities: [], actions: [], tag_ids: [], known: null };

const ANY = "any";
const KNOWN = [
  { value: ANY, label: "All, and everything else" },
  { value: "false", label: "Only strangers: hosts that nobody knows yet" },
  { value: "true", label: "Only known ones" },
];

interface WebhookEditorProps extends EditorProps {
  /** Called with the secret of a new webhook, which is shown once. */
  readonly onCreated: (secret: string) => void;
}

export function WebhookEditor({ id, onClose, onCreated }: WebhookEditorProps): ReactNode {
  if (id === null) return <WebhookForm edited={null} onClose={onClose} onCreated={onCreated} />;
  return (
    <ForEditing operation={getWebhook} id={id} title="Edit webhook" onClose={onClose}>
      {(edited) => <WebhookForm edited={edited} onClose={onClose} onCreated={onCreated} />}
    </ForEditing>
  );
}

interface FormProps extends Omit<WebhookEditorProps, "id"> {
  readonly edited: Edited<Webhook> | null;
}

function WebhookForm({ edited, onClose, onCreated }: FormProps): ReactNode {
  const create = useWrite(createWebhook);
  const update = useWrite(updateWebhook);
  const webhook = edited?.entity;
  const form = useForm({ initialValues: valuesOf(webhook) });
  return (
    <FormWindow
      title={edited === null ? "New webhook" : "Edit webhook"}
      form={form}
      onClose={onClose}
      onReload={edited?.reload}
      verb={edited === null ? "Create" : "Save"}
      {...(edited !== null && { done: "Saved." })}
      fieldOf={fieldOf}
      submit={async ({ url, format, batch_seconds, is_enabled, known, ...chosen }) => {
        const filter = { ...chosen, known: known === ANY ? null : known === "true" };
        const body = { url, format, filter, batch_seconds: Number(batch_seconds), is_enabled };
        if (edited === null) onCreated((await create.mutateAsync({ body })).secret);
        else await update.mutateAsync({ params: { id: edited.entity.id }, body, ...edited.ifMatch });
      }}
    >
      <TextInput
        label="URL"
        description="Must start with https:// and resolve to a public address"
        placeholder="https://example.com/hooks/topology"
        required
        data-autofocus
        {...form.getInputProps("url")}
      />
      <Select
        label="Format"
        required
        allowDeselect={false}
        data={WEBHOOK_FORMATS.map((format) => ({ value: format, label: FORMATS[format] }))}
        {...form.getInputProps("format")}
      />
      <FilterFields form={form} former={webhook?.filter.network_ids ?? []} />
      <NumberInput
        label="Batch for"
        description="Changes within this time are sent together; 0 sends each immediately"
        suffix=" seconds"
        min={0}
        max={3600}
        allowDecimal={false}
        {...form.getInputProps("batch_seconds")}
      />
      {edited !== null && (
        <Checkbox
          label="Enabled"
          description="Changes made while it is disabled are sent once it is enabled again"
          {...form.getInputProps("is_enabled", { type: "checkbox" })}
        />
      )}
    </FormWindow>
  );
}

function valuesOf(webhook: Webhook | undefined) {
  return {
    url: webhook?.url ?? "",
    format: webhook?.format ?? "standard",
    ...(webhook?.filter ?? NOTHING_LEFT_OUT),
    known: String(webhook?.filter.known ?? ANY),
    batch_seconds: (webhook?.batch_seconds ?? 0) as number | string,
    is_enabled: webhook?.is_enabled ?? true,
  };
}

interface FilterFieldsProps {
  readonly form: UseFormReturnType<ReturnType<typeof valuesOf>>;
  /** Networks already in the filter; some may have been deleted. */
  readonly former: readonly string[];
}

/** The filter. */
function FilterFields({ form, former }: FilterFieldsProps): ReactNode {
  const { networks } = useNetworkScope();
  const tags = useTags();
  const known = new Set(networks.map(({ id }) => id));
  const gone = former.filter((id) => !known.has(id));
  return (
    <>
      <MultiSelect
        label="Networks"
        description="Leave empty for all networks, and tags"
        searchable
        data={[
          ...networks.map(({ id, name }) => ({ value: id, label: name })),
          ...gone.map((id) => ({ value: id, label: "Deleted network" })),
        ]}
        {...form.getInputProps("network_ids")}
      />
      <MultiSelect
        label="Kinds"
        description="Leave empty for all kinds"
        data={[...KIND_NAMES]}
        {...form.getInputProps("entities")}
      />
      <MultiSelect
        label="Actions"
        description="Leave empty for all actions"
        data={CHANGE_ACTION_CHOICES}
        {...form.getInputProps("actions")}
      />
      <Select label="Hosts" allowDeselect={false} data={KNOWN} {...form.getInputProps("known")} />
      <TagField
        known={tags}
        description="Only changes to entities with one of these tags, before or after. Leave empty for all"
        {...form.getInputProps("tag_ids")}
      />
    </>
  );
}

/** The API reports single items of a list; the form has one field for it. */
function fieldOf(path: string): string {
  return path.replace(/^filter\.(\w+).*$/, "$1");
}

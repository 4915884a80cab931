import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { createNetwork, getNetwork, type Network, updateNetwork } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useWrite } from "../api/queries.js";
import { type Edited, ForEditing } from "../forms/for-editing.js";
import { FormWindow } from "../forms/form-window.js";
import { TagField } from "../tags/tag-field.js";
import { useTags } from "../tags/tags.js";

interface EditorProps {
  /** Null makes a new one. */
  readonly id: string | null;
  readonly onClose: () => void;
}

/** Makes or changes a network. */
export function NetworkEditor({ id, onClose }: EditorProps): ReactNode {
  if (id === null) return <NetworkForm edited={null} onClose={onClose} />;
  return (
    <ForEditing operation={getNetwork} id={id} title="Edit the network" onClose={onClose}>
      {(edited) => <NetworkForm edited={edited} onClose={onClose} />}
    </ForEditing>
  );
}

function NetworkForm({
  edited,
  onClose,
}: {
  readonly edited: Edited<Network> | null;
  readonly onClose: () => void;
}): ReactNode {
  const tags = useTags();
  const create = useWrite(createNetwork);
  const update = useWrite(updateNetwork);
  const form = useForm({ initialValues: { name: edited?.entity.name ?? "", tags: edited?.entity.tags ?? [] } });
  return (
    <FormWindow
      title={edited === null ? "New network" : "Edit the network"}
      form={form}
      onClose={onClose}
      onReload={edited?.reload}
      verb={edited === null ? "Create" : "Save"}
      done={edited === null ? "The network is there." : "Saved."}
      submit={(body) =>
        edited === null
          ? create.mutateAsync({ body })
          : update.mutateAsync({ params: { id: edited.entity.id }, body, ...edited.ifMatch })
      }
    >
      <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
      <TagField known={tags} {...form.getInputProps("tags")} />
    </FormWindow>
  );
}

import { ColorInput, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { createTag, getTag, type Tag, updateTag } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useWrite } from "../api/queries.js";
import { type Edited, ForEditing } from "../forms/for-editing.js";
import { FormWindow } from "../forms/form-window.js";
import { orNull } from "../forms/values.js";

const COLORS = ["#e03131", "#e8590c", "#f08c00", "#2f9e44", "#0c8599", "#1971c2", "#6741d9", "#c2255c", "#495057"];

interface EditorProps {
  /** Null makes a new one. */
  readonly id: string | null;
  readonly onClose: () => void;
}

/** Makes or changes a tag. */
export function TagEditor({ id, onClose }: EditorProps): ReactNode {
  if (id === null) return <TagForm edited={null} onClose={onClose} />;
  return (
    <ForEditing operation={getTag} id={id} title="Edit the tag" onClose={onClose}>
      {(edited) => <TagForm edited={edited} onClose={onClose} />}
    </ForEditing>
  );
}

function TagForm({
  edited,
  onClose,
}: {
  readonly edited: Edited<Tag> | null;
  readonly onClose: () => void;
}): ReactNode {
  const create = useWrite(createTag);
  const update = useWrite(updateTag);
  const tag = edited?.entity;
  const form = useForm({
    initialValues: { name: tag?.name ?? "", description: tag?.description ?? "", color: tag?.color ?? COLORS[5] ?? "" },
  });
  return (
    <FormWindow
      title={edited === null ? "New tag" : "Edit the tag"}
      form={form}
      onClose={onClose}
      onReload={edited?.reload}
      verb={edited === null ? "Create" : "Save"}
      done={edited === null ? "The tag is there." : "Saved."}
      submit={({ name, description, color }) => {
        const body = { name, description: orNull(description), color: orNull(color) };
        return edited === null
          ? create.mutateAsync({ body })
          : update.mutateAsync({ params: { id: edited.entity.id }, body, ...edited.ifMatch });
      }}
    >
      <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
      <ColorInput
        label="Colour"
        swatches={COLORS}
        swatchesPerRow={9}
        eyeDropperButtonProps={{ "aria-label": "Take a colour from the screen" }}
        {...form.getInputProps("color")}
      />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps("description")} />
    </FormWindow>
  );
}

import { ColorInput, Textarea, TextInput } from "@mantine/core";
import { createTag, getTag, updateTag } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { type EditorProps, EntityEditor } from "../forms/entity-editor.js";
import { orNull } from "../forms/values.js";

const COLORS = ["#e03131", "#e8590c", "#f08c00", "#2f9e44", "#0c8599", "#1971c2", "#6741d9", "#c2255c", "#495057"];

export function TagEditor(props: EditorProps): ReactNode {
  return (
    <EntityEditor
      {...props}
      noun="tag"
      operations={{ read: getTag, create: createTag, update: updateTag }}
      valuesOf={(tag) => ({
        name: tag?.name ?? "",
        description: tag?.description ?? "",
        color: (tag === undefined ? COLORS[5] : tag.color) ?? "",
      })}
      bodyOf={({ name, description, color }) => ({ name, description: orNull(description), color: orNull(color) })}
    >
      {(form) => (
        <>
          <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
          <ColorInput
            label="Colour"
            description="A colour such as #3b82f6, or a CSS name such as blue"
            swatches={COLORS}
            swatchesPerRow={9}
            fixOnBlur={false}
            eyeDropperButtonProps={{ "aria-label": "Pick a colour from the screen" }}
            {...form.getInputProps("color")}
          />
          <Textarea label="Description" autosize minRows={2} {...form.getInputProps("description")} />
        </>
      )}
    </EntityEditor>
  );
}

import { TextInput } from "@mantine/core";
import { createNetwork, getNetwork, updateNetwork } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { AttributesField } from "../forms/attributes-field.js";
import { attributeRows, attributesOf } from "../forms/attributes.js";
import { type EditorProps, EntityEditor } from "../forms/entity-editor.js";
import { TagField } from "../tags/tag-field.js";
import { useTags } from "../tags/tags.js";

export function NetworkEditor(props: EditorProps): ReactNode {
  const tags = useTags();
  return (
    <EntityEditor
      {...props}
      noun="network"
      operations={{ read: getNetwork, create: createNetwork, update: updateNetwork }}
      valuesOf={(network) => ({
        name: network?.name ?? "",
        attributes: attributeRows(network?.attributes),
        tags: network?.tags ?? [],
      })}
      bodyOf={({ attributes, ...values }) => ({ ...values, attributes: attributesOf(attributes) })}
    >
      {(form) => (
        <>
          <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
          <TagField known={tags} {...form.getInputProps("tags")} />
          <AttributesField
            value={form.getValues().attributes}
            onChange={(attributes) => form.setFieldValue("attributes", attributes)}
            errors={form.errors}
          />
        </>
      )}
    </EntityEditor>
  );
}

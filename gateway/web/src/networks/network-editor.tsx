import { TextInput } from "@mantine/core";
import { createNetwork, getNetwork, updateNetwork } from "@nts/shared/contract";
import type { ReactNode } from "react";
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
      valuesOf={(network) => ({ name: network?.name ?? "", tags: network?.tags ?? [] })}
      bodyOf={(values) => values}
    >
      {(form) => (
        <>
          <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
          <TagField known={tags} {...form.getInputProps("tags")} />
        </>
      )}
    </EntityEditor>
  );
}

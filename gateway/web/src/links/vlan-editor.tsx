import { NumberInput, TextInput } from "@mantine/core";
import { createVlan, getVlan, LAST_VID, updateVlan } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { AttributesField } from "../forms/attributes-field.js";
import { attributeRows, attributesOf } from "../forms/attributes.js";
import { type EditorProps, EntityEditor } from "../forms/entity-editor.js";
import { NetworkField, useLikelyNetwork } from "../forms/network-field.js";
import { TagField } from "../tags/tag-field.js";
import { useTags } from "../tags/tags.js";

export function VlanEditor(props: EditorProps): ReactNode {
  const tags = useTags();
  const likely = useLikelyNetwork();
  return (
    <EntityEditor
      {...props}
      noun="VLAN"
      operations={{ read: getVlan, create: createVlan, update: updateVlan }}
      valuesOf={(vlan) => ({
        network_id: vlan?.network_id ?? likely,
        vid: vlan?.vid ?? "",
        name: vlan?.name ?? "",
        attributes: attributeRows(vlan?.attributes),
        tags: vlan?.tags ?? [],
      })}
      bodyOf={({ vid, attributes, ...values }) => ({
        ...values,
        vid: Number(vid),
        attributes: attributesOf(attributes),
      })}
    >
      {(form, vlan) => (
        <>
          {vlan === undefined && <NetworkField {...form.getInputProps("network_id")} />}
          <NumberInput
            label="Number"
            description={`From 1 to ${LAST_VID}`}
            required
            min={1}
            max={LAST_VID}
            allowDecimal={false}
            data-autofocus
            {...form.getInputProps("vid")}
          />
          <TextInput label="Name" required {...form.getInputProps("name")} />
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

import { Autocomplete, Textarea, TextInput } from "@mantine/core";
import { createSubnet, getSubnet, updateSubnet } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { AttributesField } from "../forms/attributes-field.js";
import { attributeRows, attributesOf } from "../forms/attributes.js";
import { type EditorProps, EntityEditor } from "../forms/entity-editor.js";
import { NetworkField, useLikelyNetwork } from "../forms/network-field.js";
import { VlanField } from "../links/vlan-fields.js";
import { orNull } from "../forms/values.js";
import { subnetTypeOf, subnetTypeText } from "../parts/texts.js";
import { ReservedField } from "./reserved-field.js";
import { TagField } from "../tags/tag-field.js";
import { useTags } from "../tags/tags.js";

/** Suggestions only: any text is accepted. */
const TYPES = ["LAN", "WLAN", "DMZ", "Guest", "Management", "IoT", "VPN", "Docker", "Internet"];

export function SubnetEditor(props: EditorProps): ReactNode {
  const tags = useTags();
  const likely = useLikelyNetwork();
  return (
    <EntityEditor
      {...props}
      noun="subnet"
      operations={{ read: getSubnet, create: createSubnet, update: updateSubnet }}
      valuesOf={(subnet) => ({
        network_id: subnet?.network_id ?? likely,
        cidr: subnet?.cidr ?? "",
        name: subnet?.name ?? "",
        subnet_type: subnetTypeText(subnet?.subnet_type ?? ""),
        vlan_id: subnet?.vlan_id ?? "",
        description: subnet?.description ?? "",
        reserved: subnet?.reserved ?? [],
        attributes: attributeRows(subnet?.attributes),
        tags: subnet?.tags ?? [],
      })}
      bodyOf={({ subnet_type, vlan_id, description, attributes, ...values }) => ({
        ...values,
        attributes: attributesOf(attributes),
        subnet_type: orNull(subnetTypeOf(subnet_type)),
        vlan_id: orNull(vlan_id),
        description: orNull(description),
      })}
    >
      {(form, subnet) => (
        <>
          {subnet === undefined && <NetworkField {...form.getInputProps("network_id")} />}
          <TextInput
            label="Range (CIDR)"
            description="IPv4 or IPv6, for example 10.0.10.0/24 or fd00:10::/64"
            classNames={{ input: "mono" }}
            required
            data-autofocus
            {...form.getInputProps("cidr")}
          />
          <TextInput label="Name" required {...form.getInputProps("name")} />
          <Autocomplete label="Type" data={TYPES} {...form.getInputProps("subnet_type")} />
          <VlanField networkId={form.getValues().network_id} {...form.getInputProps("vlan_id")} />
          <Textarea label="Description" autosize minRows={2} {...form.getInputProps("description")} />
          <ReservedField
            value={form.getValues().reserved}
            onChange={(reserved) => form.setFieldValue("reserved", reserved)}
            errors={form.errors}
          />
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

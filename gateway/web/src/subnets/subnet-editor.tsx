import { Autocomplete, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { createSubnet, getSubnet, type Subnet, updateSubnet } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useWrite } from "../api/queries.js";
import { type Edited, ForEditing } from "../forms/for-editing.js";
import { FormWindow } from "../forms/form-window.js";
import { NetworkField, useLikelyNetwork } from "../forms/network-field.js";
import { orNull } from "../forms/values.js";
import { TagField } from "../tags/tag-field.js";
import { useTags } from "../tags/tags.js";

/** Suggestions only: a type is free text. */
const TYPES = ["Lan", "Wlan", "Dmz", "Guest", "Management", "Iot", "Vpn", "Docker", "Internet"];

interface EditorProps {
  /** Null makes a new one. */
  readonly id: string | null;
  readonly onClose: () => void;
  /** Network of a new one. */
  readonly networkId?: string;
}

/** Makes or changes a subnet. */
export function SubnetEditor({ id, onClose, networkId }: EditorProps): ReactNode {
  if (id === null) return <SubnetForm edited={null} onClose={onClose} networkId={networkId} />;
  return (
    <ForEditing operation={getSubnet} id={id} title="Edit the subnet" onClose={onClose}>
      {(edited) => <SubnetForm edited={edited} onClose={onClose} networkId={undefined} />}
    </ForEditing>
  );
}

interface FormProps {
  readonly edited: Edited<Subnet> | null;
  readonly onClose: () => void;
  readonly networkId: string | undefined;
}

function SubnetForm({ edited, onClose, networkId }: FormProps): ReactNode {
  const tags = useTags();
  const likely = useLikelyNetwork();
  const create = useWrite(createSubnet);
  const update = useWrite(updateSubnet);
  const subnet = edited?.entity;
  const form = useForm({
    initialValues: {
      network_id: subnet?.network_id ?? networkId ?? likely,
      cidr: subnet?.cidr ?? "",
      name: subnet?.name ?? "",
      subnet_type: subnet?.subnet_type ?? "",
      description: subnet?.description ?? "",
      tags: subnet?.tags ?? [],
    },
  });
  return (
    <FormWindow
      title={edited === null ? "New subnet" : "Edit the subnet"}
      form={form}
      onClose={onClose}
      onReload={edited?.reload}
      verb={edited === null ? "Create" : "Save"}
      done={edited === null ? "The subnet is there." : "Saved."}
      submit={(values) => {
        const body = { ...values, subnet_type: orNull(values.subnet_type), description: orNull(values.description) };
        return edited === null
          ? create.mutateAsync({ body })
          : update.mutateAsync({ params: { id: edited.entity.id }, body, ...edited.ifMatch });
      }}
    >
      {edited === null && networkId === undefined && <NetworkField {...form.getInputProps("network_id")} />}
      <TextInput
        label="Block"
        description="IPv4 or IPv6, such as 10.0.10.0/24 or fd00:10::/64"
        classNames={{ input: "mono" }}
        required
        data-autofocus
        {...form.getInputProps("cidr")}
      />
      <TextInput label="Name" required {...form.getInputProps("name")} />
      <Autocomplete label="Type" data={TYPES} {...form.getInputProps("subnet_type")} />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps("description")} />
      <TagField known={tags} {...form.getInputProps("tags")} />
    </FormWindow>
  );
}

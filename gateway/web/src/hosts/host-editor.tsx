import { Checkbox, Fieldset, Select, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { createHost, getHost, type Host, type Role, updateHost } from "@nts/shared/contract";
import { ROLE_NAMES } from "@nts/shared/contract/role-names.rules";
import type { ReactNode } from "react";
import { useNavigate } from "react-router";
import { AttributesField } from "../forms/attributes-field.js";
import { attributeRows, attributesFault, attributesOf } from "../forms/attributes.js";
import type { EditorProps } from "../forms/entity-editor.js";
import { type Edited, ForEditing } from "../forms/for-editing.js";
import { FormWindow } from "../forms/form-window.js";
import { NetworkField, useLikelyNetwork } from "../forms/network-field.js";
import { orNull } from "../forms/values.js";
import { VirtualizationField } from "../forms/virtualization-field.js";
import { virtualizationOf, virtualizationValues } from "../forms/virtualization.js";
import { roleText } from "../parts/texts.js";
import { hostPath } from "../paths.js";
import { TagField } from "../tags/tag-field.js";
import { useTags } from "../tags/tags.js";
import { SubnetField } from "./subnet-field.js";

/** Creates or updates a host. Opens the page of a new one. */
export function HostEditor({ id, onClose }: EditorProps): ReactNode {
  if (id === null) return <NewHostForm onClose={onClose} />;
  return (
    <ForEditing operation={getHost} id={id} title="Edit host" onClose={onClose}>
      {(edited) => <HostForm edited={edited} onClose={onClose} />}
    </ForEditing>
  );
}

function HostForm({ edited, onClose }: { readonly edited: Edited<Host>; readonly onClose: () => void }): ReactNode {
  const tags = useTags();
  const host = edited.entity;
  const form = useForm({
    initialValues: {
      name: host.name,
      hostname: host.hostname ?? "",
      description: host.description ?? "",
      hidden: host.hidden,
      is_known: host.is_known,
      role: host.role as string | null,
      attributes: attributeRows(host.attributes),
      tags: host.tags,
      virtualization: virtualizationValues(host.virtualization),
    },
    validate: { attributes: attributesFault },
  });
  return (
    <FormWindow
      title="Edit host"
      form={form}
      onClose={onClose}
      onReload={edited.reload}
      done="Saved."
      reviews
      submit={(values, send) =>
        send(updateHost, {
          params: { id: host.id },
          body: {
            ...values,
            network_id: host.network_id,
            hostname: orNull(values.hostname),
            description: orNull(values.description),
            role: values.role as Role | null,
            attributes: attributesOf(values.attributes),
            virtualization: virtualizationOf(values.virtualization),
          },
          ...edited.ifMatch,
        })
      }
    >
      <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
      <TextInput label="Hostname" classNames={{ input: "mono" }} {...form.getInputProps("hostname")} />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps("description")} />
      <Select
        label="Role"
        description="What it is in the network"
        data={ROLE_NAMES.map((role) => ({ value: role, label: roleText(role) }))}
        clearable
        searchable
        {...form.getInputProps("role")}
      />
      <TagField known={tags} {...form.getInputProps("tags")} />
      <AttributesField
        value={form.getValues().attributes}
        onChange={(attributes) => form.setFieldValue("attributes", attributes)}
        errors={form.errors}
      />
      <VirtualizationField form={form} own={{ kind: "host", id: host.id }} networkId={host.network_id} />
      <Checkbox
        label="Known"
        description="Hosts that imports find are strangers until somebody knows them"
        {...form.getInputProps("is_known", { type: "checkbox" })}
      />
      <Checkbox label="Hide from the topology" {...form.getInputProps("hidden", { type: "checkbox" })} />
    </FormWindow>
  );
}

const PATHS_OF_ADDRESS = "interfaces.0.";

function NewHostForm({ onClose }: { readonly onClose: () => void }): ReactNode {
  const tags = useTags();
  const navigate = useNavigate();
  const form = useForm({
    initialValues: {
      network_id: useLikelyNetwork(),
      name: "",
      hostname: "",
      description: "",
      tags: [] as string[],
      subnet_id: "",
      ip_address: "",
      mac_address: "",
    },
  });
  return (
    <FormWindow
      title="New host"
      form={form}
      onClose={onClose}
      verb="Create"
      done="Host created."
      fieldOf={(path) => path.replace(PATHS_OF_ADDRESS, "")}
      reviews
      submit={async ({ subnet_id, ip_address, mac_address, ...values }, send) => {
        const hasAddress = [subnet_id, ip_address, mac_address].some((value) => value !== "");
        const body = { ...values, hostname: orNull(values.hostname), description: orNull(values.description) };
        const interfaces = hasAddress ? [{ subnet_id, ip_address, mac_address: orNull(mac_address) }] : [];
        const { id } = await send(createHost, { body: { ...body, interfaces } });
        void navigate(hostPath(id));
      }}
    >
      <NetworkField {...form.getInputProps("network_id")} />
      <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
      <TextInput label="Hostname" classNames={{ input: "mono" }} {...form.getInputProps("hostname")} />
      <Fieldset legend="First interface (optional)">
        <SubnetField
          networkId={form.getValues().network_id}
          value={form.getValues().subnet_id}
          onChange={(id) => form.setFieldValue("subnet_id", id)}
          error={form.errors["subnet_id"]}
        />
        <TextInput label="Address" classNames={{ input: "mono" }} mt="sm" {...form.getInputProps("ip_address")} />
        <TextInput label="MAC address" classNames={{ input: "mono" }} mt="sm" {...form.getInputProps("mac_address")} />
      </Fieldset>
      <TagField known={tags} {...form.getInputProps("tags")} />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps("description")} />
    </FormWindow>
  );
}

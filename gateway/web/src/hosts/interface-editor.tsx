import { Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import {
  createInterface,
  getInterface,
  type Host,
  type Interface,
  listSubnets,
  updateInterface,
} from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useRows, useWrite } from "../api/queries.js";
import { type Edited, ForEditing } from "../forms/for-editing.js";
import { FormWindow } from "../forms/form-window.js";
import { orNull } from "../forms/values.js";

interface EditorProps {
  readonly host: Host;
  /** Null makes a new one. */
  readonly id: string | null;
  readonly onClose: () => void;
}

/** Makes or changes an interface of a host. */
export function InterfaceEditor({ host, id, onClose }: EditorProps): ReactNode {
  if (id === null) return <InterfaceForm host={host} edited={null} onClose={onClose} />;
  return (
    <ForEditing operation={getInterface} id={id} title="Edit the interface" onClose={onClose}>
      {(edited) => <InterfaceForm host={host} edited={edited} onClose={onClose} />}
    </ForEditing>
  );
}

interface FormProps {
  readonly host: Host;
  readonly edited: Edited<Interface> | null;
  readonly onClose: () => void;
}

function InterfaceForm({ host, edited, onClose }: FormProps): ReactNode {
  const create = useWrite(createInterface);
  const update = useWrite(updateInterface);
  const subnets = useRows(listSubnets, { query: { network_id: host.network_id, limit: 1000, order_by: "cidr" } });
  const one = edited?.entity;
  const form = useForm({
    initialValues: {
      name: one?.name ?? "",
      subnet_id: one?.subnet_id ?? "",
      ip_address: one?.ip_address ?? "",
      mac_address: one?.mac_address ?? "",
    },
  });
  const hasMac = (one?.mac_address ?? null) !== null;
  return (
    <FormWindow
      title={edited === null ? "New interface" : "Edit the interface"}
      form={form}
      onClose={onClose}
      onReload={edited?.reload}
      verb={edited === null ? "Create" : "Save"}
      done={edited === null ? "The interface is there." : "Saved."}
      submit={(values) => {
        const body = {
          host_id: host.id,
          network_id: host.network_id,
          subnet_id: values.subnet_id,
          ip_address: values.ip_address.trim(),
          name: orNull(values.name),
          mac_address: orNull(values.mac_address),
        };
        return edited === null
          ? create.mutateAsync({ body })
          : update.mutateAsync({ params: { id: edited.entity.id }, body, ...edited.ifMatch });
      }}
    >
      <TextInput label="Name" description="Such as eth0" data-autofocus {...form.getInputProps("name")} />
      <Select
        label="Subnet"
        required
        searchable
        allowDeselect={false}
        placeholder={subnets.data?.data.length === 0 ? "The network has no subnet yet" : "Choose a subnet"}
        data={(subnets.data?.data ?? []).map(({ id, cidr, name }) => ({ value: id, label: `${cidr} · ${name}` }))}
        value={form.getValues().subnet_id === "" ? null : form.getValues().subnet_id}
        onChange={(chosen) => form.setFieldValue("subnet_id", chosen ?? "")}
        error={form.errors["subnet_id"]}
      />
      <TextInput label="Address" required classNames={{ input: "mono" }} {...form.getInputProps("ip_address")} />
      <TextInput
        label="MAC address"
        description={
          hasMac ? "Cannot be changed once it is set" : "In any usual notation; cannot be changed once it is set"
        }
        classNames={{ input: "mono" }}
        readOnly={hasMac}
        {...form.getInputProps("mac_address")}
      />
    </FormWindow>
  );
}

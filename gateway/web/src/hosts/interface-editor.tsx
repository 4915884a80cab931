import { Select, TextInput } from "@mantine/core";
import { createInterface, getInterface, type Host, listSubnets, updateInterface } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useRows } from "../api/queries.js";
import { type EditorProps, EntityEditor } from "../forms/entity-editor.js";
import { orNull } from "../forms/values.js";

/** Makes or changes an interface of a host. */
export function InterfaceEditor({ host, ...props }: EditorProps & { readonly host: Host }): ReactNode {
  const subnets = useRows(listSubnets, { query: { network_id: host.network_id, limit: 1000, order_by: "cidr" } });
  return (
    <EntityEditor
      {...props}
      noun="interface"
      operations={{ read: getInterface, create: createInterface, update: updateInterface }}
      valuesOf={(one) => ({
        name: one?.name ?? "",
        subnet_id: one?.subnet_id ?? "",
        ip_address: one?.ip_address ?? "",
        mac_address: one?.mac_address ?? "",
      })}
      bodyOf={({ subnet_id, ip_address, name, mac_address }) => ({
        host_id: host.id,
        network_id: host.network_id,
        subnet_id,
        ip_address: ip_address.trim(),
        name: orNull(name),
        mac_address: orNull(mac_address),
      })}
    >
      {(form, one) => {
        const hasMac = (one?.mac_address ?? null) !== null;
        return (
          <>
            <TextInput label="Name" description="For example eth0" data-autofocus {...form.getInputProps("name")} />
            <Select
              label="Subnet"
              required
              searchable
              allowDeselect={false}
              placeholder={subnets.data?.data.length === 0 ? "The network has no subnets" : "Select a subnet"}
              data={(subnets.data?.data ?? []).map(({ id, cidr, name }) => ({ value: id, label: `${cidr} · ${name}` }))}
              value={form.getValues().subnet_id === "" ? null : form.getValues().subnet_id}
              onChange={(chosen) => form.setFieldValue("subnet_id", chosen ?? "")}
              error={form.errors["subnet_id"]}
            />
            <TextInput label="Address" required classNames={{ input: "mono" }} {...form.getInputProps("ip_address")} />
            <TextInput
              label="MAC address"
              description={hasMac ? "Cannot be changed once set" : "Any common notation; cannot be changed once set"}
              classNames={{ input: "mono" }}
              readOnly={hasMac}
              {...form.getInputProps("mac_address")}
            />
          </>
        );
      }}
    </EntityEditor>
  );
}

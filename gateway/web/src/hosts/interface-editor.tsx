import { Checkbox, TextInput } from "@mantine/core";
import {
  createInterface,
  getInterface,
  getSubnetUtilization,
  type Host,
  type Interface,
  NEXT_ADDRESS,
  updateInterface,
} from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useOne } from "../api/queries.js";
import { AttributesField } from "../forms/attributes-field.js";
import { attributeRows, attributesOf } from "../forms/attributes.js";
import { type EditorProps, EntityEditor } from "../forms/entity-editor.js";
import { orNull } from "../forms/values.js";
import { SubnetField } from "./subnet-field.js";

export function InterfaceEditor({ host, ...props }: EditorProps & { readonly host: Host }): ReactNode {
  return (
    <EntityEditor
      {...props}
      noun="interface"
      operations={{ read: getInterface, create: createInterface, update: updateInterface }}
      valuesOf={valuesOf}
      bodyOf={({ subnet_id, ip_address, takes_next, name, mac_address, attributes }) => ({
        host_id: host.id,
        network_id: host.network_id,
        subnet_id,
        ip_address: takes_next ? NEXT_ADDRESS : ip_address.trim(),
        name: orNull(name),
        mac_address: orNull(mac_address),
        attributes: attributesOf(attributes),
      })}
    >
      {(form, one) => {
        const hasMac = (one?.mac_address ?? null) !== null;
        return (
          <>
            <TextInput label="Name" description="For example eth0" data-autofocus {...form.getInputProps("name")} />
            <SubnetField
              networkId={host.network_id}
              required
              value={form.getValues().subnet_id}
              onChange={(id) => form.setFieldValue("subnet_id", id)}
              error={form.errors["subnet_id"]}
            />
            {!form.getValues().takes_next && (
              <TextInput
                label="Address"
                required
                classNames={{ input: "mono" }}
                {...form.getInputProps("ip_address")}
              />
            )}
            {one === undefined && (
              <NextAddress
                subnetId={form.getValues().subnet_id}
                isTaken={form.getValues().takes_next}
                onChange={(isTaken) => form.setFieldValue("takes_next", isTaken)}
              />
            )}
            <TextInput
              label="MAC address"
              description={hasMac ? "Cannot be changed once set" : "Any common notation; cannot be changed once set"}
              classNames={{ input: "mono" }}
              readOnly={hasMac}
              {...form.getInputProps("mac_address")}
            />
            <AttributesField
              value={form.getValues().attributes}
              onChange={(attributes) => form.setFieldValue("attributes", attributes)}
              errors={form.errors}
            />
          </>
        );
      }}
    </EntityEditor>
  );
}

function valuesOf(one: Interface | undefined) {
  return {
    name: one?.name ?? "",
    subnet_id: one?.subnet_id ?? "",
    ip_address: one?.ip_address ?? "",
    takes_next: false,
    mac_address: one?.mac_address ?? "",
    attributes: attributeRows(one?.attributes),
  };
}

interface NextAddressProps {
  /** Empty if none is selected. */
  readonly subnetId: string;
  readonly isTaken: boolean;
  readonly onChange: (isTaken: boolean) => void;
}

/** Requests the next free address, and shows the current one. */
function NextAddress({ subnetId, isTaken, onChange }: NextAddressProps): ReactNode {
  const isChosen = subnetId !== "";
  const utilization = useOne(getSubnetUtilization, { params: { id: subnetId } }, { enabled: isChosen && isTaken });
  const next = utilization.data?.data.next;
  return (
    <Checkbox
      label="Next free address"
      description={
        isTaken && isChosen && next !== undefined
          ? next === null
            ? "The subnet has no free address."
            : `Currently ${next}`
          : "The lowest address that is neither in use nor reserved"
      }
      checked={isTaken}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

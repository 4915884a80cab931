import { Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { type Host, mergeHosts } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { FormWindow } from "../forms/form-window.js";
import { HostPicker } from "../forms/host-picker.js";

interface MergeWindowProps {
  readonly host: Pick<Host, "id" | "name" | "network_id">;
  /** The id of the other one, if it is known. */
  readonly other?: string | undefined;
  readonly onClose: () => void;
}

/** Merges another host into this one. */
export function MergeWindow({ host, other = "", onClose }: MergeWindowProps): ReactNode {
  const form = useForm({ initialValues: { host_id: other } });
  return (
    <FormWindow
      title={`Merge another host into ${host.name}`}
      size="lg"
      form={form}
      onClose={onClose}
      verb="Merge"
      done="Hosts merged."
      reviews="first"
      submit={({ host_id }, send) => send(mergeHosts, { params: { id: host.id }, body: { host_id } })}
    >
      <Text size="sm">
        For two hosts that are one machine. The interfaces, ports and services of the other host move here, what both
        have becomes one, and the other host is deleted. Reverting the change brings it back.
      </Text>
      <HostPicker
        label="Other host"
        networkId={host.network_id}
        without={host.id}
        required
        autoFocus={other === ""}
        value={form.getValues().host_id}
        onChange={(id) => form.setFieldValue("host_id", id)}
        error={form.errors["host_id"]}
      />
    </FormWindow>
  );
}

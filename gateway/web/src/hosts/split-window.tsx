import { Checkbox, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { type Host, splitHost } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useNavigate } from "react-router";
import { FormWindow } from "../forms/form-window.js";
import { withDetail } from "../parts/detail.js";
import { hostPath } from "../paths.js";

interface SplitWindowProps {
  readonly host: Host;
  readonly onClose: () => void;
}

/** Splits a host, and opens the page of the new one. */
export function SplitWindow({ host, onClose }: SplitWindowProps): ReactNode {
  const navigate = useNavigate();
  const form = useForm({ initialValues: { name: "", interface_ids: [] as string[] } });
  return (
    <FormWindow
      title={`Split ${host.name}`}
      size="lg"
      form={form}
      onClose={onClose}
      verb="Split"
      done="Host split."
      reviews="first"
      submit={async (body, send) => {
        const { id } = await send(splitHost, { params: { id: host.id }, body });
        void navigate(hostPath(id));
      }}
    >
      <Text size="sm">
        For a host that is two machines. A new host gets the interfaces that you choose, with the ports and services
        bound to them. Imports keep them apart from then on.
      </Text>
      <TextInput label="Name of the new host" required data-autofocus {...form.getInputProps("name")} />
      <Checkbox.Group label="Interfaces of the new host" required {...form.getInputProps("interface_ids")}>
        <Stack gap="xs" mt="xs">
          {host.interfaces.map(({ id, ip_address, mac_address, name }) => (
            <Checkbox key={id} value={id} label={withDetail(withDetail(ip_address, name ?? ""), mac_address ?? "")} />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormWindow>
  );
}

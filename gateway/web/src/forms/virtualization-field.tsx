import { Autocomplete, Fieldset, Textarea } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { ReactNode } from "react";
import type { VirtualizationValues } from "./virtualization.js";

/** Suggestions only: any text is accepted. */
const TYPES = ["Docker", "Kubernetes", "LXC", "KVM", "ProxmoxVM", "VMware", "HyperV"];

interface Virtualized {
  readonly virtualization: VirtualizationValues;
}

export function VirtualizationField<Values extends Virtualized>({
  form,
}: {
  readonly form: UseFormReturnType<Values>;
}): ReactNode {
  return (
    <Fieldset legend="Virtualization (optional)">
      <Autocomplete label="Type" data={TYPES} {...form.getInputProps("virtualization.type")} />
      <Textarea
        label="Details"
        description="JSON object; host_id or service_id names the host or service it runs on"
        classNames={{ input: "mono" }}
        mt="sm"
        autosize
        minRows={1}
        maxRows={12}
        spellCheck={false}
        {...form.getInputProps("virtualization.details")}
      />
    </Fieldset>
  );
}

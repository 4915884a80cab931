import { Autocomplete, Fieldset, Select, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { getHost, getService, type Host, type Service } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { describeFailure } from "../api/failure.js";
import { useOne } from "../api/queries.js";
import { HostPicker } from "./host-picker.js";
import type { AttributeRow } from "./attributes.js";
import { RowsField } from "./rows-field.js";
import { keptDetails, type Runner, type VirtualizationValues } from "./virtualization.js";

/** Suggestions only: any text is accepted. */
const KINDS = ["Docker", "Kubernetes", "LXC", "KVM", "ProxmoxVM", "VMware", "HyperV"];

interface Virtualized {
  readonly virtualization: VirtualizationValues;
}

interface VirtualizationFieldProps<Values extends Virtualized> {
  readonly form: UseFormReturnType<Values>;
  /** What is edited, which does not run on itself. */
  readonly own: Runner | null;
  readonly networkId: string;
}

/** What a host or service runs on, and as what. */
export function VirtualizationField<Values extends Virtualized>(props: VirtualizationFieldProps<Values>): ReactNode {
  const { form, own, networkId } = props;
  const { virtualization } = form.getValues();
  const change = (part: Partial<VirtualizationValues>): void => {
    // The member exists in all values; TypeScript does not relate it to the paths of a type parameter.
    form.setValues({ virtualization: { ...virtualization, ...part } } as Partial<Values>);
  };
  const kept = keptDetails(virtualization);
  return (
    <Fieldset legend="Virtualization (optional)">
      <RunnerField
        networkId={networkId}
        own={own}
        value={virtualization.runner}
        onChange={(runner) => change({ runner })}
      />
      <Autocomplete
        label="Kind"
        description="Such as Docker, LXC or KVM"
        mt="sm"
        data={KINDS}
        {...form.getInputProps("virtualization.type")}
      />
      {form.errors["virtualization.details"] !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" mt="xs">
          {form.errors["virtualization.details"]}
        </Text>
      )}
      <RowsField
        noun="Detail"
        example="image"
        value={virtualization.details}
        onChange={(details: AttributeRow[]) => change({ details })}
      />
      {kept > 0 && (
        <Text size="xs" c="dimmed" mt="xs">
          {kept === 1 ? "1 nested detail is" : `${kept} nested details are`} kept as the API has{" "}
          {kept === 1 ? "it" : "them"}.
        </Text>
      )}
    </Fieldset>
  );
}

interface RunnerFieldProps {
  readonly networkId: string;
  readonly own: Runner | null;
  readonly value: Runner | null;
  readonly onChange: (runner: Runner | null) => void;
}

/** Selects a host, and optionally one of its services. */
function RunnerField({ networkId, own, value, onChange }: RunnerFieldProps): ReactNode {
  const service = useOne(getService, { params: { id: value?.id ?? "" } }, { enabled: value?.kind === "service" });
  const hostId = value?.kind === "host" ? value.id : value === null ? "" : (service.data?.data.host_id ?? "");
  const host = useOne(getHost, { params: { id: hostId } }, { enabled: hostId !== "" });
  const isGone = [service.error, host.error].some(
    (error) => error !== null && describeFailure(error).kind === "missing",
  );
  const known = hostId === "" ? undefined : host.data?.data;
  return (
    <>
      <HostPicker
        label="Runs on"
        networkId={networkId}
        without={own?.kind === "host" ? own.id : undefined}
        value={hostId}
        chosen={known}
        onChange={(id) => onChange(id === "" ? null : { kind: "host", id })}
        error={value !== null && isGone ? "What it ran on no longer exists. Choose another host, or none." : undefined}
      />
      {known !== undefined && (
        <ServiceOnIt
          services={servicesOn(known, own)}
          value={value?.kind === "service" ? value.id : null}
          onChange={(id) => onChange(id === null ? { kind: "host", id: known.id } : { kind: "service", id })}
        />
      )}
    </>
  );
}

function servicesOn({ services }: Host, own: Runner | null): readonly Service[] {
  return services.filter(({ id }) => own?.kind !== "service" || id !== own.id);
}

interface ServiceOnItProps {
  readonly services: readonly Service[];
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}

function ServiceOnIt({ services, value, onChange }: ServiceOnItProps): ReactNode {
  if (services.length === 0) return null;
  return (
    <Select
      label="Service on it"
      description="Such as a Docker engine; leave empty for the host itself"
      mt="sm"
      clearable
      searchable={services.length > 10}
      data={services.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
      clearButtonProps={{ "aria-label": "Clear: Service on it" }}
    />
  );
}

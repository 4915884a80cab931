import { Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { createDependency, getHost, type Host } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useOne } from "../api/queries.js";
import { FormWindow } from "../forms/form-window.js";
import { HostPicker } from "../forms/host-picker.js";
import { portText } from "../parts/socket-texts.js";
import type { Subject } from "./ends.js";

interface DependencyWindowProps extends Subject {
  readonly onClose: () => void;
}

/** Adds a dependency of a host or one of its services, or on it. */
export function DependencyWindow({ host, serviceId, onClose }: DependencyWindowProps): ReactNode {
  const form = useForm({
    initialValues: { direction: "uses", here: serviceId ?? "", other_id: "", there: "", port: "", note: "" },
  });
  const { direction, other_id, here, there, port } = form.getValues();
  const found = useOne(getHost, { params: { id: other_id } }, { enabled: other_id !== "" });
  const other = other_id === "" ? undefined : found.data?.data;
  const uses = direction === "uses";
  const server = uses ? other : host;
  return (
    <FormWindow
      title={`New dependency of ${host.name}`}
      size="lg"
      form={form}
      onClose={onClose}
      verb="Add"
      done="Dependency added."
      reviews
      fieldOf={(path) => path.replace(/^(?:client|server)\.host_id$/, "other_id")}
      submit={(values, send) => {
        const own = { host_id: host.id, service_id: orNull(values.here) };
        const others = { host_id: values.other_id, service_id: orNull(values.there) };
        const port_id = orNull(values.port);
        return send(createDependency, {
          body: {
            network_id: host.network_id,
            client: uses ? own : others,
            server: { ...(uses ? others : own), port_id },
            note: orNull(values.note.trim()),
          },
        });
      }}
    >
      <Select
        label="Direction"
        allowDeselect={false}
        data={[
          { value: "uses", label: `${host.name} uses …` },
          { value: "used", label: `${host.name} is used by …` },
        ]}
        value={direction}
        onChange={(next) => {
          form.setFieldValue("direction", next ?? "uses");
          form.setFieldValue("port", "");
        }}
      />
      <ServiceSelect
        label={`Service of ${host.name}`}
        host={host}
        value={here}
        onChange={(id) => form.setFieldValue("here", id)}
      />
      <HostPicker
        label="Other host"
        networkId={host.network_id}
        required
        value={other_id}
        onChange={(id) => {
          form.setFieldValue("other_id", id);
          form.setFieldValue("there", "");
          if (uses) form.setFieldValue("port", "");
        }}
        error={form.errors["other_id"]}
      />
      <ServiceSelect
        label={other === undefined ? "Service of the other host" : `Service of ${other.name}`}
        host={other}
        value={there}
        onChange={(id) => form.setFieldValue("there", id)}
      />
      <Select
        label="Port that is connected to"
        clearable
        disabled={(server?.ports.length ?? 0) === 0}
        data={(server?.ports ?? []).map((one) => ({ value: one.id, label: portText(one) }))}
        value={port === "" ? null : port}
        onChange={(id) => form.setFieldValue("port", id ?? "")}
      />
      <TextInput label="Note" description="What it is for" {...form.getInputProps("note")} />
    </FormWindow>
  );
}

interface ServiceSelectProps {
  readonly label: string;
  readonly host: Host | undefined;
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** A service of a host, or none for the host itself. */
function ServiceSelect({ label, host, value, onChange }: ServiceSelectProps): ReactNode {
  const services = host?.services ?? [];
  return (
    <Select
      label={label}
      placeholder="The host itself"
      clearable
      searchable={services.length > 5}
      disabled={services.length === 0}
      data={services.map(({ id, name }) => ({ value: id, label: name }))}
      value={value === "" ? null : value}
      onChange={(id) => onChange(id ?? "")}
    />
  );
}

function orNull(text: string): string | null {
  return text === "" ? null : text;
}

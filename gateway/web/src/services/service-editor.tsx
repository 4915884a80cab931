import { Autocomplete, Modal, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import {
  type BindingInput,
  createService,
  getHost,
  getService,
  type Host,
  listServiceDefinitions,
  type Service,
  updateService,
} from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useOne, useRows } from "../api/queries.js";
import { AttributesField } from "../forms/attributes-field.js";
import { attributeRows, attributesFault, attributesOf } from "../forms/attributes.js";
import type { EditorProps } from "../forms/entity-editor.js";
import { type Edited, ForEditing } from "../forms/for-editing.js";
import { FormWindow } from "../forms/form-window.js";
import { VirtualizationField } from "../forms/virtualization-field.js";
import { virtualizationOf, virtualizationValues } from "../forms/virtualization.js";
import { FailureState } from "../parts/failure-state.js";
import { Waiting } from "../parts/waiting.js";
import { TagField } from "../tags/tag-field.js";
import { useTags } from "../tags/tags.js";
import { BindingField } from "./binding-field.js";

export function ServiceEditor({ hostId, id, onClose }: EditorProps & { readonly hostId: string }): ReactNode {
  const title = id === null ? "New service" : "Edit service";
  const { data, error, refetch } = useOne(getHost, { params: { id: hostId } });
  if (data === undefined)
    return (
      <Modal opened onClose={onClose} title={title} size="xl" closeButtonProps={{ "aria-label": "Close" }}>
        {error === null ? <Waiting /> : <FailureState error={error} onRetry={() => void refetch()} />}
      </Modal>
    );
  if (id === null) return <ServiceForm host={data.data} edited={null} onClose={onClose} />;
  return (
    <ForEditing operation={getService} id={id} title={title} onClose={onClose}>
      {(edited) => <ServiceForm host={data.data} edited={edited} onClose={onClose} />}
    </ForEditing>
  );
}

interface FormProps {
  readonly host: Host;
  readonly edited: Edited<Service> | null;
  readonly onClose: () => void;
}

function ServiceForm({ host, edited, onClose }: FormProps): ReactNode {
  const tags = useTags();
  const definitions = useRows(listServiceDefinitions, { query: { limit: 0, order_by: "name" } });
  const service = edited?.entity;
  const form = useForm({
    initialValues: {
      name: service?.name ?? "",
      service_definition: service?.service_definition ?? "",
      tags: service?.tags ?? [],
      bindings: (service?.bindings ?? []).map(asInput),
      attributes: attributeRows(service?.attributes),
      virtualization: virtualizationValues(service?.virtualization ?? null),
    },
    validate: { attributes: attributesFault },
  });
  return (
    <FormWindow
      title={edited === null ? `New service on ${host.name}` : "Edit service"}
      size="xl"
      form={form}
      onClose={onClose}
      onReload={edited?.reload}
      verb={edited === null ? "Create" : "Save"}
      done={edited === null ? "Service created." : "Saved."}
      reviews
      submit={(values, send) => {
        const virtualization = virtualizationOf(values.virtualization);
        const attributes = attributesOf(values.attributes);
        const body = { ...values, attributes, virtualization, host_id: host.id, network_id: host.network_id };
        return edited === null
          ? send(createService, { body })
          : send(updateService, {
              params: { id: edited.entity.id },
              body: { ...body, position: edited.entity.position, source: edited.entity.source },
              ...edited.ifMatch,
            });
      }}
    >
      <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
      <Autocomplete
        label="Type"
        description="From the catalogue, or a custom name"
        required
        limit={50}
        data={(definitions.data?.data ?? []).map(({ name }) => name)}
        {...form.getInputProps("service_definition")}
      />
      <BindingField
        host={host}
        value={form.getValues().bindings}
        onChange={(bindings) => form.setFieldValue("bindings", bindings)}
      />
      <TagField known={tags} {...form.getInputProps("tags")} />
      <AttributesField
        value={form.getValues().attributes}
        onChange={(attributes) => form.setFieldValue("attributes", attributes)}
        errors={form.errors}
      />
      <VirtualizationField
        form={form}
        own={service === undefined ? null : { kind: "service", id: service.id }}
        networkId={host.network_id}
      />
    </FormWindow>
  );
}

function asInput(binding: BindingInput): BindingInput {
  return binding.type === "Interface"
    ? { type: "Interface", interface_id: binding.interface_id }
    : { type: "Port", port_id: binding.port_id, interface_id: binding.interface_id };
}

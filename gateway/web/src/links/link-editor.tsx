import { Fieldset, NumberInput, Select, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { createLink, getHost, getLink, type Link, updateLink } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useOne } from "../api/queries.js";
import { type EditorProps, EntityEditor } from "../forms/entity-editor.js";
import { HostPicker } from "../forms/host-picker.js";
import { NetworkField, useLikelyNetwork } from "../forms/network-field.js";
import { orNull } from "../forms/values.js";
import { TagField } from "../tags/tag-field.js";
import { useTags } from "../tags/tags.js";
import { LINK_KIND_CHOICES } from "./link-texts.js";
import { VlansField } from "./vlan-fields.js";

interface End {
  host_id: string;
  interface_id: string;
  port: string;
}

interface LinkEditorProps extends EditorProps {
  /** Where a new link begins. */
  readonly from?: { readonly networkId: string; readonly hostId: string };
}

export function LinkEditor({ from, ...props }: LinkEditorProps): ReactNode {
  const tags = useTags();
  const likely = useLikelyNetwork();
  return (
    <EntityEditor
      {...props}
      noun="link"
      operations={{ read: getLink, create: createLink, update: updateLink }}
      valuesOf={(link) => ({
        network_id: link?.network_id ?? from?.networkId ?? likely,
        kind: link?.kind ?? "Ethernet",
        ends: endsOf(link, from?.hostId),
        vlan_ids: link?.vlan_ids ?? [],
        speed_mbps: link?.speed_mbps ?? "",
        tags: link?.tags ?? [],
      })}
      bodyOf={({ ends, speed_mbps, ...values }) => ({
        ...values,
        ends: ends.map(({ host_id, interface_id, port }) => ({
          host_id,
          interface_id: orNull(interface_id),
          port: orNull(port),
        })),
        speed_mbps: speed_mbps === "" ? null : Number(speed_mbps),
      })}
    >
      {(form, link) => (
        <>
          {link === undefined && from === undefined && <NetworkField {...form.getInputProps("network_id")} />}
          <Select label="Kind" allowDeselect={false} data={LINK_KIND_CHOICES} {...form.getInputProps("kind")} />
          <EndField form={form} n={0} title="One end" />
          <EndField form={form} n={1} title="Other end" />
          <NumberInput
            label="Speed in Mbit/s"
            min={1}
            allowDecimal={false}
            thousandSeparator=" "
            {...form.getInputProps("speed_mbps")}
          />
          <VlansField networkId={form.getValues().network_id} {...form.getInputProps("vlan_ids")} />
          <TagField known={tags} {...form.getInputProps("tags")} />
        </>
      )}
    </EntityEditor>
  );
}

function endsOf(link: Link | undefined, hostId = ""): End[] {
  const none = { host_id: "", interface_id: "", port: "" };
  if (link === undefined) return [{ ...none, host_id: hostId }, none];
  return link.ends.map(({ host_id, interface_id, port }) => ({
    host_id,
    interface_id: interface_id ?? "",
    port: port ?? "",
  }));
}

interface EndFieldProps<Values> {
  readonly form: UseFormReturnType<Values>;
  readonly n: 0 | 1;
  readonly title: string;
}

/** A host, and if known its interface or port. */
function EndField<Values extends { readonly network_id: string; readonly ends: End[] }>({
  form,
  n,
  title,
}: EndFieldProps<Values>): ReactNode {
  const { network_id, ends } = form.getValues();
  const end = ends[n] ?? { host_id: "", interface_id: "", port: "" };
  const host = useOne(getHost, { params: { id: end.host_id } }, { enabled: end.host_id !== "" }).data?.data;
  const interfaces = host?.interfaces ?? [];
  const change = (part: Partial<End>): void => {
    const next = ends.map((one, at) => (at === n ? { ...one, ...part } : one));
    // The member exists in all values; TypeScript does not relate it to the paths of a type parameter.
    form.setValues({ ends: next } as unknown as Partial<Values>);
  };
  return (
    <Fieldset legend={title}>
      <HostPicker
        label="Host"
        networkId={network_id}
        required
        value={end.host_id}
        chosen={host}
        onChange={(host_id) => change({ host_id, interface_id: "" })}
        error={form.errors[`ends.${n}.host_id`] ?? (n === 1 ? form.errors["ends"] : undefined)}
      />
      {interfaces.length > 0 && (
        <Select
          label="Interface"
          mt="sm"
          clearable
          data={interfaces.map(({ id, name, ip_address }) => ({
            value: id,
            label: name === null ? ip_address : `${name} (${ip_address})`,
          }))}
          value={end.interface_id === "" ? null : end.interface_id}
          onChange={(id) => change({ interface_id: id ?? "" })}
          error={form.errors[`ends.${n}.interface_id`]}
          clearButtonProps={{ "aria-label": `Clear: Interface of ${title.toLowerCase()}` }}
        />
      )}
      <TextInput
        label="Port"
        description="As the device names it, such as Gi1/0/24 or eth0"
        mt="sm"
        value={end.port}
        onChange={({ currentTarget }) => change({ port: currentTarget.value })}
        error={form.errors[`ends.${n}.port`]}
      />
    </Fieldset>
  );
}

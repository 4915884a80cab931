import { MultiSelect, Select } from "@mantine/core";
import type { ReactNode } from "react";
import { useVlans, vlanText } from "./vlan-text.js";

interface VlanFieldProps<Value> {
  /** Empty if none is selected. */
  readonly networkId: string;
  readonly value?: Value;
  readonly onChange: (value: Value) => void;
  readonly error?: ReactNode;
}

/** Selects a VLAN of a network, or none; nothing if the network has none. */
export function VlanField({ networkId, value = "", onChange, error }: VlanFieldProps<string>): ReactNode {
  const vlans = useVlans(networkId);
  if (vlans.length === 0 && value === "") return null;
  return (
    <Select
      label="VLAN"
      clearable
      searchable
      data={vlans.map((vlan) => ({ value: vlan.id, label: vlanText(vlan) }))}
      value={value === "" ? null : value}
      onChange={(chosen) => onChange(chosen ?? "")}
      error={error}
      clearButtonProps={{ "aria-label": "Clear: VLAN" }}
    />
  );
}

/** Selects several. */
export function VlansField({ networkId, value = [], onChange, error }: VlanFieldProps<string[]>): ReactNode {
  const vlans = useVlans(networkId);
  if (vlans.length === 0 && value.length === 0) return null;
  return (
    <MultiSelect
      label="VLANs"
      description="That it carries, if known"
      clearable
      searchable
      data={vlans.map((vlan) => ({ value: vlan.id, label: vlanText(vlan) }))}
      value={value}
      onChange={onChange}
      error={error}
      clearButtonProps={{ "aria-label": "Clear: VLANs" }}
    />
  );
}

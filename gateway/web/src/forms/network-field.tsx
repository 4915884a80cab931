import { Select } from "@mantine/core";
import type { ReactNode } from "react";
import { useNetworkScope } from "../scope/networks.js";

interface NetworkFieldProps {
  readonly value?: string;
  readonly onChange: (networkId: string) => void;
  readonly error?: ReactNode;
  readonly label?: string;
}

/** Selects one of the caller's networks. */
export function NetworkField({ value = "", onChange, error, label = "Network" }: NetworkFieldProps): ReactNode {
  const { networks } = useNetworkScope();
  return (
    <Select
      label={label}
      required
      allowDeselect={false}
      searchable={networks.length > 10}
      placeholder="Select a network"
      data={networks.map(({ id, name }) => ({ value: id, label: name }))}
      value={value === "" ? null : value}
      onChange={(chosen) => onChange(chosen ?? "")}
      error={error}
    />
  );
}

/** The default network for new entities: the selected one, or the only one. */
export function useLikelyNetwork(): string {
  const { networkId, networks } = useNetworkScope();
  return networkId ?? (networks.length === 1 ? (networks[0]?.id ?? "") : "");
}

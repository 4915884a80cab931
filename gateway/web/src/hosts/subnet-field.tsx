import { Select } from "@mantine/core";
import { listSubnets } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useRows } from "../api/queries.js";
import { withDetail } from "../parts/detail.js";

interface SubnetFieldProps {
  /** Empty if none is selected. */
  readonly networkId: string;
  /** Empty for none. */
  readonly value: string;
  readonly onChange: (subnetId: string) => void;
  readonly error: ReactNode;
  readonly required?: boolean;
}

/** Selects a subnet of a network. */
export function SubnetField({ networkId, value, onChange, error, required = false }: SubnetFieldProps): ReactNode {
  const isPossible = networkId !== "";
  const query = { network_id: networkId, limit: 1000, order_by: "cidr" } as const;
  const subnets = useRows(listSubnets, { query }, { enabled: isPossible }).data?.data;
  return (
    <Select
      label="Subnet"
      required={required}
      searchable
      clearable={!required}
      allowDeselect={!required}
      disabled={!isPossible}
      placeholder={subnets?.length === 0 ? "The network has no subnets" : "Select a subnet"}
      data={(subnets ?? []).map(({ id, cidr, name }) => ({ value: id, label: withDetail(cidr, name) }))}
      value={value === "" ? null : value}
      onChange={(chosen) => onChange(chosen ?? "")}
      error={error}
    />
  );
}

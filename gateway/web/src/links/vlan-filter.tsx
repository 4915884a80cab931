import { listVlans } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useRows } from "../api/queries.js";
import { OneFilter } from "../list/filters.js";
import type { ListState } from "../list/list-state.js";
import { useNetworkScope } from "../scope/networks.js";
import { vlanText } from "./vlan-text.js";

/** Those in the menu; there are more in large organizations, of which one network is chosen then. */
const MOST = 1_000;

/** Only what is in a VLAN of the selected network, or of any; nothing if there are none. */
export function VlanFilter({ state }: { readonly state: ListState }): ReactNode {
  const { networkId, nameOf } = useNetworkScope();
  const query = { limit: MOST, order_by: "vid", ...(networkId !== null && { network_id: networkId }) } as const;
  const vlans = useRows(listVlans, { query }).data?.data ?? [];
  if (vlans.length === 0 && state.valuesOf("vlan").length === 0) return null;
  const networks = new Set(vlans.map(({ network_id }) => network_id));
  const data = vlans.map((vlan) => ({
    value: vlan.id,
    label: networks.size > 1 ? `${vlanText(vlan)}, ${nameOf(vlan.network_id)}` : vlanText(vlan),
  }));
  return <OneFilter state={state} name="vlan" label="VLAN" data={data} />;
}

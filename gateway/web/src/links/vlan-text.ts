import { listVlans, type Vlan } from "@nts/shared/contract";
import { useRows } from "../api/queries.js";

/** Such as `10 Office`. */
export function vlanText({ vid, name }: Pick<Vlan, "vid" | "name">): string {
  return `${vid} ${name}`;
}

/** The VLANs of a network by number. @param networkId empty for none */
export function useVlans(networkId: string): readonly Vlan[] {
  const query = { network_id: networkId, limit: 1000, order_by: "vid" } as const;
  return useRows(listVlans, { query }, { enabled: networkId !== "" }).data?.data ?? [];
}

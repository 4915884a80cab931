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

/** The texts of some VLANs, by id. */
export function useVlanTexts(ids: readonly (string | null)[]): ReadonlyMap<string, string> {
  const named = [...new Set(ids.filter((id) => id !== null))].sort();
  const { data } = useRows(listVlans, { query: { ids: named, limit: 1000 } }, { enabled: named.length > 0 });
  return new Map(data?.data.map((vlan) => [vlan.id, vlanText(vlan)]));
}

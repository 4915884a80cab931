import { useDebouncedValue } from "@mantine/hooks";
import { type Host, listHosts, listServices, listSubnets } from "@nts/shared/contract";
import { useRows } from "../api/queries.js";
import { useNetworkScope } from "../scope/networks.js";
import {
  type Go,
  having,
  hostEntries,
  MOST,
  networkEntries,
  type Section,
  serviceEntries,
  subnetEntries,
} from "./entries.js";

const TYPING_MS = 250;
/** A single letter matches nearly everything. */
const LEAST_LETTERS = 2;

export interface FoundEntries {
  readonly sections: readonly Section[];
  readonly isLoading: boolean;
  readonly error: Error | null;
}

/** Entities matching a text: the first rows from the API, debounced, and networks already loaded. */
export function useFound(text: string, go: Go): FoundEntries {
  const [settled] = useDebouncedValue(text.trim(), TYPING_MS);
  const { networks, choose } = useNetworkScope();
  const q = settled;
  const enabled = q.length >= LEAST_LETTERS;
  const query = { q, limit: MOST };
  const hosts = useRows(listHosts, { query: { ...query, order_by: "natural_name" } }, { enabled });
  const services = useRows(listServices, { query: { ...query, order_by: "natural_name" } }, { enabled });
  const subnets = useRows(listSubnets, { query: { ...query, order_by: "name" } }, { enabled });
  const foundServices = enabled ? (services.data?.data ?? []) : [];
  const ids = [...new Set(foundServices.map(({ host_id }) => host_id))].sort();
  const under = useRows(listHosts, { query: { ids, limit: MOST } }, { enabled: ids.length > 0 });
  if (!enabled) return { sections: [], isLoading: text.trim().length >= LEAST_LETTERS, error: null };
  const hostsOf = new Map<string, Host>(under.data?.data.map((host) => [host.id, host]));
  const sections = [
    { label: "Hosts", entries: hostEntries(hosts.data?.data ?? [], go) },
    { label: "Services", entries: serviceEntries(foundServices, hostsOf, go) },
    { label: "Subnets", entries: subnetEntries(subnets.data?.data ?? [], go) },
    { label: "Networks", entries: networkEntries(having(networks, q), choose, go) },
  ];
  return {
    sections: sections.filter(({ entries }) => entries.length > 0),
    isLoading: settled !== text.trim() || hosts.isFetching || services.isFetching || subnets.isFetching,
    error: hosts.error ?? services.error ?? subnets.error,
  };
}

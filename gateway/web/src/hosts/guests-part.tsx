import { type Host, listHosts, listServices, MOST_RUNNERS, type Service } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useRows } from "../api/queries.js";
import { type Column, DataTable } from "../list/data-table.js";
import { ListPart, PartRemark } from "../parts/part.js";
import { SeenName } from "../parts/seen.js";
import { virtualizationTypeText } from "../parts/texts.js";
import { hostPath, servicePath } from "../paths.js";
import { Addresses } from "./addresses.js";

/** Maximum rows of each kind. */
const SHOWN = 100;

type Guest = Host | Service;

/** What runs on a host and its services: machines and containers. Nothing if nothing does. */
export function GuestsPart({ host }: { readonly host: Host }): ReactNode {
  const runs_on = [host.id, ...host.services.map(({ id }) => id)].slice(0, MOST_RUNNERS);
  const query = { runs_on, order_by: "natural_name", limit: SHOWN } as const;
  const hosts = useRows(listHosts, { query }).data;
  const services = useRows(listServices, { query }).data;
  const guests: readonly Guest[] = [...(hosts?.data ?? []), ...(services?.data ?? [])];
  const total = (hosts?.pagination.total_count ?? 0) + (services?.pagination.total_count ?? 0);
  if (guests.length === 0) return null;
  return (
    <ListPart title="Guests" count={total} none="Nothing runs on it.">
      <DataTable label="Guests" columns={COLUMNS} rows={guests} idOf={({ id }) => id} nameOf={({ name }) => name} />
      {total > guests.length && <PartRemark>The first {guests.length} by name.</PartRemark>}
    </ListPart>
  );
}

const COLUMNS: readonly Column<Guest>[] = [
  {
    id: "name",
    label: "Name",
    cell: (guest) => (
      <SeenName of={guest} to={"host_id" in guest ? servicePath(guest.id) : hostPath(guest.id)} fw={600}>
        {guest.name}
      </SeenName>
    ),
  },
  {
    id: "kind",
    label: "Kind",
    cell: ({ virtualization }) => virtualization !== null && virtualizationTypeText(virtualization.type),
  },
  {
    id: "address",
    label: "Address",
    cell: (guest) => ("interfaces" in guest ? <Addresses interfaces={guest.interfaces} /> : guest.service_definition),
  },
];

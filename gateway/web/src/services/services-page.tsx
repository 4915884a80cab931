import { Anchor, Button } from "@mantine/core";
import {
  bulkDeleteServices,
  CATEGORIES,
  deleteService,
  type Host,
  listHosts,
  listServices,
  type Service,
  SERVICE_ORDER_FIELDS,
} from "@nts/shared/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { Boxes } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { type Rows, useRows } from "../api/queries.js";
import { ServiceStops } from "../dependencies/service-stops.js";
import { ImportLink } from "../imports/import-link.js";
import { useChosenColumns } from "../list/chosen-columns.js";
import { changedColumn } from "../list/changed-column.js";
import { ColumnsMenu } from "../list/columns-menu.js";
import type { Column } from "../list/data-table.js";
import { EditableList } from "../list/editable-list.js";
import { attributesOf, GroupFilter, ManyFilter, SearchFilter, TextFilter } from "../list/filters.js";
import { fieldOf, type ListState, useListState } from "../list/list-state.js";
import { MissedFilter, missedOf } from "../list/missed-filter.js";
import { useRemoval } from "../list/use-removal.js";
import { useSelection } from "../list/use-selection.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page } from "../parts/page.js";
import { categoryText } from "../parts/texts.js";
import { SeenName } from "../parts/seen.js";
import { hostPath, PATHS, servicePath } from "../paths.js";
import { useHasLevel } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { SocketList } from "../sockets/socket-list.js";
import { TagBadges } from "../tags/tag-badges.js";
import { TagFilter } from "../tags/tag-filter.js";
import { type KnownTags, useTags } from "../tags/tags.js";
import { NetworkLink } from "../scope/network-link.js";
import { excluded } from "./excluded.js";
import { ServiceEditor } from "./service-editor.js";

const GROUPS = [
  { value: "host", label: "Host" },
  { value: "service_definition", label: "Type" },
  { value: "network_id", label: "Network" },
];

const CATEGORY_CHOICES = CATEGORIES.map((one) => ({ value: one, label: categoryText(one) }));

/** For a single service; the others are on its host's page. */
const MOST_SOCKETS = 3;

/** The services of the selected network, or of all networks. */
export default function ServicesPage(): ReactNode {
  const state = useListState();
  const selection = useSelection();
  const tags = useTags();
  const may = useHasLevel("Member");
  const { networkId, nameOf } = useNetworkScope();
  const [edited, setEdited] = useState<Service | null>(null);
  const groupBy = fieldOf(SERVICE_ORDER_FIELDS, state.groupBy);
  const rows = useServices(state, networkId);
  const hosts = useHosts(rows.data?.data ?? []);
  const columns = useChosenColumns("services", columnsOf({ hosts, tags }));
  const removal = useRemoval({
    one: deleteService,
    many: bulkDeleteServices,
    noun: "service",
    consequence: "Its bindings are deleted as well.",
    stopsWith: (id) => <ServiceStops id={id} />,
    selection,
  });
  const groupOf = (service: Service): string =>
    groupBy === "host"
      ? (hosts.get(service.host_id)?.name ?? "…")
      : groupBy === "network_id"
        ? nameOf(service.network_id)
        : service.service_definition;
  return (
    <Page title="Services" about="Services running on your hosts. Add services on a host's page.">
      <EditableList
        label="Services"
        rows={rows}
        state={state}
        columns={columns.shown}
        may={may}
        selection={selection}
        removal={removal}
        onEdit={setEdited}
        toolbar={
          <>
            <Filters state={state} tags={tags} />
            <ColumnsMenu columns={columns} />
          </>
        }
        groupOf={GROUPS.some(({ value }) => value === groupBy) ? groupOf : undefined}
        empty={
          <EmptyState
            icon={Boxes}
            title="No services"
            actions={
              <>
                {may && <ImportLink />}
                <Button component={Link} to={PATHS.hosts} variant="default">
                  Go to hosts
                </Button>
              </>
            }
          >
            Import a version scan (nmap -sV), or add services on a host's page.
          </EmptyState>
        }
      />
      {edited !== null && <ServiceEditor hostId={edited.host_id} id={edited.id} onClose={() => setEdited(null)} />}
    </Page>
  );
}

function useServices(state: ListState, networkId: string | null): UseQueryResult<Rows<Service>> {
  return useRows(listServices, {
    query: {
      ...state.query,
      order_by: fieldOf(SERVICE_ORDER_FIELDS, state.orderBy) ?? "natural_name",
      group_by: fieldOf(SERVICE_ORDER_FIELDS, state.groupBy),
      network_id: networkId ?? undefined,
      tag_ids: state.valuesOf("tag"),
      attribute: attributesOf(state),
      product: state.valuesOf("product")[0],
      ...missedOf(state),
      q: state.text === "" ? undefined : state.text,
      exclude_categories: excluded(state.valuesOf("category"), state.valuesOf("without")),
    },
  });
}

function Filters({ state, tags }: { readonly state: ListState; readonly tags: KnownTags }): ReactNode {
  return (
    <>
      <SearchFilter state={state} placeholder="Name, type or address:port" />
      <TagFilter state={state} known={tags} />
      <TextFilter state={state} name="product" label="Product" />
      <TextFilter state={state} name="attribute" label="Attribute (rack:A3)" />
      <MissedFilter state={state} />
      <ManyFilter state={state} name="category" label="Categories" data={CATEGORY_CHOICES} />
      <ManyFilter state={state} name="without" label="Exclude categories" data={CATEGORY_CHOICES} />
      <GroupFilter state={state} data={GROUPS} />
    </>
  );
}

/** The hosts of the services on a page, in one request. */
function useHosts(services: readonly Service[]): ReadonlyMap<string, Host> {
  const ids = [...new Set(services.map(({ host_id }) => host_id))].sort();
  const { data } = useRows(listHosts, { query: { ids, limit: 1000 } }, { enabled: ids.length > 0 });
  return new Map(data?.data.map((host) => [host.id, host]));
}

interface ColumnParts {
  readonly hosts: ReadonlyMap<string, Host>;
  readonly tags: KnownTags;
}

function columnsOf({ hosts, tags }: ColumnParts): readonly Column<Service>[] {
  return [
    {
      id: "name",
      label: "Name",
      orderBy: "natural_name",
      phone: "first",
      cell: (service) => (
        <SeenName of={service} to={servicePath(service.id)} fw={700}>
          {service.name}
        </SeenName>
      ),
    },
    {
      id: "definition",
      label: "Type",
      orderBy: "service_definition",
      cell: ({ service_definition }) => service_definition,
    },
    {
      id: "host",
      label: "Host",
      orderBy: "host",
      phone: "first-end",
      cell: ({ host_id }) => (
        <Anchor component={Link} to={hostPath(host_id)} size="sm">
          {hosts.get(host_id)?.name ?? "…"}
        </Anchor>
      ),
    },
    { id: "network", label: "Network", optional: true, cell: ({ network_id }) => <NetworkLink id={network_id} /> },
    {
      id: "address",
      label: "Address",
      phone: "second",
      cell: (service) => <SocketList service={service} host={hosts.get(service.host_id) ?? null} most={MOST_SOCKETS} />,
    },
    {
      id: "tags",
      label: "Tags",
      cell: (service) => service.tags.length > 0 && <TagBadges tags={service.tags} known={tags} />,
    },
    { id: "source", label: "Source", narrow: true, optional: true, cell: ({ source }) => source.type },
    changedColumn(),
  ];
}

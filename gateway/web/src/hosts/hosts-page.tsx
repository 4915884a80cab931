import { Anchor, Button } from "@mantine/core";
import { bulkDeleteHosts, deleteHost, type Host, listHosts } from "@nts/shared/contract";
import { ROLE_NAMES } from "@nts/shared/contract/role-names.rules";
import type { UseQueryResult } from "@tanstack/react-query";
import { FileUp, Plus, Server } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { type Rows, useRows } from "../api/queries.js";
import { ExportButton } from "../exports/export-button.js";
import type { OpenEditor } from "../forms/for-editing.js";
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
import { SeenName } from "../parts/seen.js";
import { roleText, virtualizationTypeText } from "../parts/texts.js";
import { When } from "../parts/when.js";
import { hostPath, PATHS } from "../paths.js";
import { NetworkLink } from "../scope/network-link.js";
import { useHasLevel } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { TagBadges } from "../tags/tag-badges.js";
import { TagFilter } from "../tags/tag-filter.js";
import { type KnownTags, useTags } from "../tags/tags.js";
import { GuideLink } from "../parts/guide-link.js";
import { Addresses } from "./addresses.js";
import { HostEditor } from "./host-editor.js";
import { RoleFact } from "../observed/observed.js";
import { systemText } from "../observed/observed-texts.js";
import { KnowButton, KnownFilter, knownOf, KnowSelected } from "./strangers.js";

const FIELDS = ["natural_name", "hostname", "network_id", "address", "created_at", "updated_at"] as const;
const ROLES = ROLE_NAMES.map((role) => ({ value: role, label: roleText(role) }));
const GROUPS = [{ value: "network_id", label: "Network" }];

/** The hosts of the selected network, or of all networks. */
export default function HostsPage(): ReactNode {
  const state = useListState();
  const selection = useSelection();
  const tags = useTags();
  const may = useHasLevel("Member");
  const { networkId, nameOf, networks } = useNetworkScope();
  const [edited, setEdited] = useState<OpenEditor>(null);
  const groupBy = fieldOf(FIELDS, state.groupBy);
  const isOfStrangers = knownOf(state).is_known === false;
  const rows = useHosts(state, networkId);
  const columns = useChosenColumns("hosts", columnsOf(tags));
  const removal = useRemoval({
    one: deleteHost,
    many: bulkDeleteHosts,
    noun: "host",
    consequence: "Its interfaces, ports and services are deleted as well.",
    selection,
  });
  const actions = networks.length > 0 && (
    <>
      <ExportButton />
      {may && <Adding onAdd={() => setEdited({ id: null })} />}
    </>
  );
  return (
    <Page title="Hosts" actions={actions}>
      <EditableList
        label="Hosts"
        rows={rows}
        state={state}
        columns={columns.shown}
        may={may}
        selection={selection}
        removal={removal}
        onEdit={({ id }) => setEdited({ id })}
        {...(isOfStrangers && {
          further: (host: Host) => <KnowButton host={host} />,
          furtherBulk: <KnowSelected selection={selection} />,
        })}
        toolbar={
          <>
            <Filters state={state} tags={tags} />
            <ColumnsMenu columns={columns} />
          </>
        }
        groupOf={groupBy === "network_id" ? ({ network_id }) => nameOf(network_id) : undefined}
        empty={
          <EmptyState
            icon={Server}
            title="No hosts"
            actions={networks.length === 0 ? <GuideLink /> : may && <Adding onAdd={() => setEdited({ id: null })} />}
          >
            {networks.length === 0
              ? "Create a network first, then add hosts to it."
              : "Import an nmap scan, or add a host manually."}
          </EmptyState>
        }
      />
      {edited !== null && <HostEditor id={edited.id} onClose={() => setEdited(null)} />}
    </Page>
  );
}

function useHosts(state: ListState, networkId: string | null): UseQueryResult<Rows<Host>> {
  return useRows(listHosts, {
    query: {
      ...state.query,
      order_by: fieldOf(FIELDS, state.orderBy) ?? "natural_name",
      group_by: fieldOf(FIELDS, state.groupBy),
      network_id: networkId ?? undefined,
      tag_ids: state.valuesOf("tag"),
      role: ROLE_NAMES.filter((role) => state.valuesOf("role").includes(role)),
      attribute: attributesOf(state),
      vendor: state.valuesOf("vendor")[0],
      ...missedOf(state),
      ...knownOf(state),
      q: state.text === "" ? undefined : state.text,
    },
  });
}

function Filters({ state, tags }: { readonly state: ListState; readonly tags: KnownTags }): ReactNode {
  return (
    <>
      <SearchFilter state={state} placeholder="Search by name, address, MAC or vendor" />
      <TagFilter state={state} known={tags} />
      <ManyFilter state={state} name="role" label="Role" data={ROLES} />
      <TextFilter state={state} name="vendor" label="Vendor" />
      <TextFilter state={state} name="attribute" label="Attribute (rack:A3)" />
      <MissedFilter state={state} />
      <KnownFilter state={state} />
      {state.valuesOf("missed").length > 0 && (
        <Anchor component={Link} to={PATHS.notSeen} size="sm">
          Show everything not seen
        </Anchor>
      )}
      <GroupFilter state={state} data={GROUPS} />
    </>
  );
}

/** Buttons to add hosts. */
function Adding({ onAdd }: { readonly onAdd: () => void }): ReactNode {
  return (
    <>
      <Button component={Link} to={PATHS.importScan} variant="default" leftSection={<FileUp size={16} aria-hidden />}>
        Import
      </Button>
      <Button leftSection={<Plus size={16} aria-hidden />} onClick={onAdd}>
        New host
      </Button>
    </>
  );
}

function columnsOf(tags: KnownTags): readonly Column<Host>[] {
  return [
    {
      id: "name",
      label: "Name",
      orderBy: "natural_name",
      phone: "first",
      cell: (host) => (
        <SeenName of={host} to={hostPath(host.id)} fw={600}>
          {host.name}
        </SeenName>
      ),
    },
    {
      id: "hostname",
      label: "Hostname",
      orderBy: "hostname",
      cell: ({ hostname }) => hostname !== null && <span className="mono">{hostname}</span>,
    },
    {
      id: "addresses",
      label: "Addresses",
      orderBy: "address",
      phone: "second",
      cell: ({ interfaces }) => <Addresses interfaces={interfaces} />,
    },
    { id: "role", label: "Role", optional: true, phone: "first-end", cell: (host) => <RoleFact {...host} /> },
    { id: "ports", label: "Ports", numbers: true, narrow: true, cell: ({ ports }) => ports.length },
    {
      id: "services",
      label: "Services",
      numbers: true,
      narrow: true,
      phone: "second-end",
      cell: ({ services }) => services.length,
    },
    { id: "tags", label: "Tags", cell: (host) => host.tags.length > 0 && <TagBadges tags={host.tags} known={tags} /> },
    {
      id: "seen",
      label: "Seen",
      numbers: true,
      narrow: true,
      optional: true,
      cell: ({ seen }) => <When at={seen?.last_at ?? null} />,
    },
    { id: "source", label: "Source", narrow: true, optional: true, cell: ({ source }) => source.type },
    { ...changedColumn(), optional: true },
    ...ON_REQUEST,
  ];
}

/** Further columns, for those who choose them. */
const ON_REQUEST: readonly Column<Host>[] = [
  {
    id: "network",
    label: "Network",
    orderBy: "network_id",
    onRequest: true,
    cell: ({ network_id }) => <NetworkLink id={network_id} />,
  },
  {
    id: "macs",
    label: "MAC addresses",
    onRequest: true,
    cell: ({ interfaces }) => (
      <span className="mono">{interfaces.flatMap(({ mac_address: mac }) => mac ?? []).join(", ")}</span>
    ),
  },
  { id: "vendor", label: "Vendor", onRequest: true, cell: ({ observed }) => observed?.vendor?.value },
  {
    id: "os",
    label: "Operating system",
    onRequest: true,
    cell: ({ observed }) => {
      const os = observed?.os ?? null;
      return os !== null && systemText(os);
    },
  },
  {
    id: "runs-on",
    label: "Virtualization",
    onRequest: true,
    cell: ({ virtualization }) => virtualization !== null && virtualizationTypeText(virtualization.type),
  },
  { id: "description", label: "Description", onRequest: true, cell: ({ description }) => description },
];

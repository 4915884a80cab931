import { Anchor, Button } from "@mantine/core";
import { bulkDeleteSubnets, deleteSubnet, listSubnets, type Subnet, type SubnetUse } from "@nts/shared/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { Plus, Spline } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { type Rows, useRows } from "../api/queries.js";
import { VlanFilter } from "../links/vlan-filter.js";
import { useVlanTexts } from "../links/vlan-text.js";
import type { OpenEditor } from "../forms/for-editing.js";
import type { Column } from "../list/data-table.js";
import { EditableList } from "../list/editable-list.js";
import { GroupFilter, SearchFilter } from "../list/filters.js";
import { fieldOf, type ListState, useListState } from "../list/list-state.js";
import { useRemoval } from "../list/use-removal.js";
import { useSelection } from "../list/use-selection.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page } from "../parts/page.js";
import { subnetTypeText } from "../parts/texts.js";
import { subnetPath } from "../paths.js";
import { useHasLevel } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { TagBadges } from "../tags/tag-badges.js";
import { TagFilter } from "../tags/tag-filter.js";
import { type KnownTags, useTags } from "../tags/tags.js";
import { ImportLink } from "../imports/import-link.js";
import { GuideLink } from "../parts/guide-link.js";
import { NetworkLink } from "../scope/network-link.js";
import { SubnetEditor } from "./subnet-editor.js";
import { useSubnetUse } from "./use-subnet-use.js";
import { usedColumns } from "./used-columns.js";

const FIELDS = ["cidr", "name", "subnet_type", "network_id", "created_at", "updated_at"] as const;
const GROUPS = [
  { value: "network_id", label: "Network" },
  { value: "subnet_type", label: "Type" },
];

/** The subnets of the selected network, or of all networks. */
export default function SubnetsPage(): ReactNode {
  const state = useListState();
  const selection = useSelection();
  const tags = useTags();
  const may = useHasLevel("Member");
  const { networkId, nameOf, networks } = useNetworkScope();
  const [edited, setEdited] = useState<OpenEditor>(null);
  const groupBy = fieldOf(FIELDS, state.groupBy);
  const rows = useSubnets(state, networkId);
  const uses = useSubnetUse((rows.data?.data ?? []).map(({ id }) => id));
  const vlans = useVlanTexts((rows.data?.data ?? []).map(({ vlan_id }) => vlan_id));
  const removal = useRemoval({
    one: deleteSubnet,
    many: bulkDeleteSubnets,
    noun: "subnet",
    consequence: "A subnet cannot be deleted while interfaces have addresses in it.",
    selection,
  });
  const add = may && networks.length > 0 && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setEdited({ id: null })}>
      New subnet
    </Button>
  );
  return (
    <Page title="Subnets" about="Ranges of addresses. Every interface address belongs to a subnet." actions={add}>
      <EditableList
        label="Subnets"
        rows={rows}
        state={state}
        columns={columnsOf({ tags, uses, vlans })}
        may={may}
        selection={selection}
        removal={removal}
        onEdit={({ id }) => setEdited({ id })}
        toolbar={
          <>
            <SearchFilter state={state} placeholder="Search by name or range" />
            <TagFilter state={state} known={tags} />
            <VlanFilter state={state} />
            <GroupFilter state={state} data={GROUPS} />
          </>
        }
        groupOf={
          groupBy === "network_id"
            ? ({ network_id }) => nameOf(network_id)
            : groupBy === "subnet_type"
              ? typeOf
              : undefined
        }
        empty={
          <EmptyState
            icon={Spline}
            title="No subnets"
            actions={
              networks.length === 0 ? (
                <GuideLink />
              ) : (
                may && (
                  <>
                    <ImportLink />
                    {add}
                  </>
                )
              )
            }
          >
            {networks.length === 0
              ? "Create a network first, then add subnets to it."
              : "Import a scan to create subnets, or add one manually."}
          </EmptyState>
        }
      />
      {edited !== null && <SubnetEditor id={edited.id} onClose={() => setEdited(null)} />}
    </Page>
  );
}

function useSubnets(state: ListState, networkId: string | null): UseQueryResult<Rows<Subnet>> {
  return useRows(listSubnets, {
    query: {
      ...state.query,
      order_by: fieldOf(FIELDS, state.orderBy) ?? "cidr",
      group_by: fieldOf(FIELDS, state.groupBy),
      network_id: networkId ?? undefined,
      tag_ids: state.valuesOf("tag"),
      vlan_id: state.valuesOf("vlan")[0],
      q: state.text === "" ? undefined : state.text,
    },
  });
}

function typeOf({ subnet_type }: Subnet): string {
  return subnet_type === null ? "No type" : subnetTypeText(subnet_type);
}

interface Known {
  readonly tags: KnownTags;
  readonly uses: ReadonlyMap<string, SubnetUse>;
  readonly vlans: ReadonlyMap<string, string>;
}

function columnsOf({ tags, uses, vlans }: Known): readonly Column<Subnet>[] {
  return [
    {
      id: "cidr",
      label: "Range (CIDR)",
      phone: "first",
      orderBy: "cidr",
      narrow: true,
      cell: ({ id, cidr }) => (
        <Anchor component={Link} to={subnetPath(id)} size="sm" className="mono">
          {cidr}
        </Anchor>
      ),
    },
    {
      id: "name",
      label: "Name",
      phone: "first-end",
      orderBy: "name",
      cell: ({ id, name }) => (
        <Anchor component={Link} to={subnetPath(id)} fw={600} size="sm">
          {name}
        </Anchor>
      ),
    },
    {
      id: "type",
      label: "Type",
      phone: "second",
      orderBy: "subnet_type",
      cell: ({ subnet_type }) => subnet_type !== null && subnetTypeText(subnet_type),
    },
    {
      id: "vlan",
      label: "VLAN",
      narrow: true,
      cell: ({ vlan_id }) => vlan_id !== null && (vlans.get(vlan_id) ?? "…"),
    },
    ...usedColumns<Subnet>(uses),
    { id: "network", label: "Network", cell: ({ network_id }) => <NetworkLink id={network_id} /> },
    { id: "tags", label: "Tags", cell: (subnet) => <TagBadges tags={subnet.tags} known={tags} /> },
    { id: "source", label: "Source", narrow: true, optional: true, cell: ({ source }) => source.type },
  ];
}

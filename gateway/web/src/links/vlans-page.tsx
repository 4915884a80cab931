import { Button } from "@mantine/core";
import { bulkDeleteVlans, deleteVlan, listVlans, type Vlan } from "@nts/shared/contract";
import { Plus, Rows3 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useRows } from "../api/queries.js";
import type { OpenEditor } from "../forms/for-editing.js";
import type { Column } from "../list/data-table.js";
import { EditableList } from "../list/editable-list.js";
import { SearchFilter } from "../list/filters.js";
import { fieldOf, useListState } from "../list/list-state.js";
import { useRemoval } from "../list/use-removal.js";
import { useSelection } from "../list/use-selection.js";
import { EmptyState } from "../parts/empty-state.js";
import { GuideLink } from "../parts/guide-link.js";
import { Page } from "../parts/page.js";
import { NetworkLink } from "../scope/network-link.js";
import { useNetworkScope } from "../scope/networks.js";
import { useHasLevel } from "../session/session.js";
import { TagBadges } from "../tags/tag-badges.js";
import { TagFilter } from "../tags/tag-filter.js";
import { useTags } from "../tags/tags.js";
import { VlanEditor } from "./vlan-editor.js";

const FIELDS = ["vid", "name", "created_at", "updated_at"] as const;

/** The VLANs of the selected network, or of all networks. */
export default function VlansPage(): ReactNode {
  const state = useListState();
  const selection = useSelection();
  const tags = useTags();
  const may = useHasLevel("Member");
  const { networkId, networks } = useNetworkScope();
  const [edited, setEdited] = useState<OpenEditor>(null);
  const rows = useRows(listVlans, {
    query: {
      ...state.query,
      order_by: fieldOf(FIELDS, state.orderBy) ?? "vid",
      network_id: networkId ?? undefined,
      tag_ids: state.valuesOf("tag"),
      q: state.text === "" ? undefined : state.text,
    },
  });
  const removal = useRemoval({
    one: deleteVlan,
    many: bulkDeleteVlans,
    noun: "VLAN",
    consequence: "A VLAN cannot be deleted while subnets or links use it.",
    selection,
  });
  const columns: readonly Column<Vlan>[] = [
    {
      id: "vid",
      label: "Number",
      orderBy: "vid",
      narrow: true,
      phone: "first",
      cell: ({ vid }) => <strong>{vid}</strong>,
    },
    { id: "name", label: "Name", orderBy: "name", phone: "first-end", cell: ({ name }) => name },
    { id: "network", label: "Network", phone: "second", cell: ({ network_id }) => <NetworkLink id={network_id} /> },
    { id: "tags", label: "Tags", cell: (vlan) => <TagBadges tags={vlan.tags} known={tags} /> },
  ];
  const add = may && networks.length > 0 && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setEdited({ id: null })}>
      New VLAN
    </Button>
  );
  return (
    <Page title="VLANs" about="Parts of the switched network, which subnets are in and links carry." actions={add}>
      <EditableList
        label="VLANs"
        rows={rows}
        state={state}
        columns={columns}
        may={may}
        selection={selection}
        removal={removal}
        onEdit={({ id }) => setEdited({ id })}
        toolbar={
          <>
            <SearchFilter state={state} placeholder="Search by name or number" />
            <TagFilter state={state} known={tags} />
          </>
        }
        empty={
          <EmptyState icon={Rows3} title="No VLANs" actions={networks.length === 0 ? <GuideLink /> : add}>
            {networks.length === 0
              ? "Create a network first, then add VLANs to it."
              : "Add a VLAN, then choose it for subnets and links."}
          </EmptyState>
        }
      />
      {edited !== null && <VlanEditor id={edited.id} onClose={() => setEdited(null)} />}
    </Page>
  );
}

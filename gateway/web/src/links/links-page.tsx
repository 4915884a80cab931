import { Button } from "@mantine/core";
import { bulkDeleteLinks, deleteLink, type Link, listLinks } from "@nts/shared/contract";
import { Cable, Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useRows } from "../api/queries.js";
import type { OpenEditor } from "../forms/for-editing.js";
import type { Column } from "../list/data-table.js";
import { fieldOf, useListState } from "../list/list-state.js";
import { ListView } from "../list/list-view.js";
import { useRemoval } from "../list/use-removal.js";
import { useSelection } from "../list/use-selection.js";
import { EditMenu } from "../parts/edit-menu.js";
import { EmptyState } from "../parts/empty-state.js";
import { GuideLink } from "../parts/guide-link.js";
import { Page } from "../parts/page.js";
import { useNetworkScope } from "../scope/networks.js";
import { useHasLevel } from "../session/session.js";
import { TagBadges } from "../tags/tag-badges.js";
import { TagFilter } from "../tags/tag-filter.js";
import { useTags } from "../tags/tags.js";
import { EndText, type HostsById, linkText, useHostsOf } from "./ends.js";
import { LinkEditor } from "./link-editor.js";
import { VlanFilter } from "./vlan-filter.js";
import { linkKindText, speedText } from "./link-texts.js";

const FIELDS = ["created_at", "updated_at"] as const;

/** The links of the selected network, or of all networks. */
export default function LinksPage(): ReactNode {
  const state = useListState();
  const selection = useSelection();
  const tags = useTags();
  const may = useHasLevel("Member");
  const { networkId, networks } = useNetworkScope();
  const [edited, setEdited] = useState<OpenEditor>(null);
  const rows = useRows(listLinks, {
    query: {
      ...state.query,
      order_by: fieldOf(FIELDS, state.orderBy) ?? "created_at",
      network_id: networkId ?? undefined,
      tag_ids: state.valuesOf("tag"),
      vlan_id: state.valuesOf("vlan")[0],
    },
  });
  const hosts = useHostsOf(rows.data?.data ?? []);
  const removal = useRemoval({
    one: deleteLink,
    many: bulkDeleteLinks,
    noun: "link",
    consequence: "The hosts at its ends stay.",
    selection,
  });
  const nameOf = (link: Link): string => linkText(link, hosts);
  const add = may && networks.length > 0 && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setEdited({ id: null })}>
      New link
    </Button>
  );
  const editing = {
    selection,
    bulkActions: (
      <Button size="compact-sm" color="red" variant="light" onClick={removal.removeSelected}>
        Delete
      </Button>
    ),
    actions: (link: Link) => (
      <EditMenu
        name={nameOf(link)}
        onEdit={() => setEdited({ id: link.id })}
        onDelete={() => removal.removeOne(link.id, nameOf(link))}
      />
    ),
  };
  return (
    <Page title="Links" about="Which host is connected to which, and at which ports." actions={add}>
      <ListView
        label="Links"
        rows={rows}
        state={state}
        columns={[
          ...columnsOf(hosts),
          { id: "tags", label: "Tags", cell: (link) => <TagBadges tags={link.tags} known={tags} /> },
        ]}
        idOf={({ id }) => id}
        nameOf={nameOf}
        toolbar={
          <>
            <TagFilter state={state} known={tags} />
            <VlanFilter state={state} />
          </>
        }
        empty={
          <EmptyState icon={Cable} title="No links" actions={networks.length === 0 ? <GuideLink /> : add}>
            {networks.length === 0
              ? "Create a network and hosts first, then connect them."
              : "Add a link between two hosts, such as a switch and what hangs on its ports."}
          </EmptyState>
        }
        {...(may && editing)}
      />
      {edited !== null && <LinkEditor id={edited.id} onClose={() => setEdited(null)} />}
    </Page>
  );
}

function columnsOf(hosts: HostsById): readonly Column<Link>[] {
  const end = (n: 0 | 1) =>
    function End({ ends }: Link): ReactNode {
      const one = ends[n];
      return one !== undefined && <EndText end={one} hosts={hosts} />;
    };
  return [
    { id: "one", label: "One end", phone: "first", cell: end(0) },
    { id: "other", label: "Other end", phone: "second", cell: end(1) },
    { id: "kind", label: "Kind", phone: "first-end", cell: ({ kind }) => linkKindText(kind) },
    {
      id: "speed",
      label: "Speed",
      narrow: true,
      cell: ({ speed_mbps }) => speed_mbps !== null && speedText(speed_mbps),
    },
    { id: "source", label: "Source", narrow: true, optional: true, cell: ({ source }) => source.type },
  ];
}

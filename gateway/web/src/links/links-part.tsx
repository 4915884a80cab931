import { deleteLink, type Host, type Link, listLinks } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { useRows } from "../api/queries.js";
import type { OpenEditor } from "../forms/for-editing.js";
import { type Column, DataTable } from "../list/data-table.js";
import { useRemoval } from "../list/use-removal.js";
import { EditMenu } from "../parts/edit-menu.js";
import { ListPart, PartRemark } from "../parts/part.js";
import { EndText, type HostsById, linkText, portText, useHostsOf } from "./ends.js";
import { LinkEditor } from "./link-editor.js";
import { linkKindText, speedText } from "./link-texts.js";
import { useVlans, vlanText } from "./vlan-text.js";

/** Maximum links shown; the API lists all. */
const SHOWN = 500;

/** What a host is connected to, and at which of its ports. */
export function LinksPart({ host, mayWrite }: { readonly host: Host; readonly mayWrite: boolean }): ReactNode {
  const [edited, setEdited] = useState<OpenEditor>(null);
  const { data } = useRows(listLinks, { query: { host_id: host.id, limit: SHOWN } });
  const links = data?.data ?? [];
  const hosts = useHostsOf(links);
  const vlans = useVlans(links.some(({ vlan_ids }) => vlan_ids.length > 0) ? host.network_id : "");
  const vlanTexts = new Map(vlans.map((vlan) => [vlan.id, vlanText(vlan)]));
  const { removeOne } = useRemoval({ one: deleteLink, noun: "link", consequence: "The hosts at its ends stay." });
  const total = data?.pagination.total_count ?? 0;
  return (
    <>
      <ListPart
        title="Links"
        count={total}
        none="Not known."
        add={mayWrite ? { label: "Add link", run: () => setEdited({ id: null }) } : undefined}
      >
        <DataTable
          label="Links"
          columns={columnsOf(host, { hosts, vlanTexts })}
          rows={links}
          idOf={({ id }) => id}
          nameOf={(link) => linkText(link, hosts)}
          actions={
            mayWrite
              ? (link) => (
                  <EditMenu
                    name={linkText(link, hosts)}
                    onEdit={() => setEdited({ id: link.id })}
                    onDelete={() => removeOne(link.id, linkText(link, hosts))}
                  />
                )
              : undefined
          }
        />
        {total > links.length && <PartRemark>The first {links.length}.</PartRemark>}
      </ListPart>
      {edited !== null && (
        <LinkEditor
          id={edited.id}
          from={{ networkId: host.network_id, hostId: host.id }}
          onClose={() => setEdited(null)}
        />
      )}
    </>
  );
}

interface Known {
  readonly hosts: HostsById;
  readonly vlanTexts: ReadonlyMap<string, string>;
}

function columnsOf({ id }: Host, { hosts, vlanTexts }: Known): readonly Column<Link>[] {
  return [
    {
      id: "port",
      label: "Own port",
      cell: ({ ends }) => ends.flatMap((end) => (end.host_id === id ? portText(end, hosts) || "–" : [])).join(""),
    },
    {
      id: "to",
      label: "Connected to",
      cell: ({ ends }) => {
        const other = ends.find(({ host_id }) => host_id !== id);
        return other !== undefined && <EndText end={other} hosts={hosts} />;
      },
    },
    { id: "kind", label: "Kind", cell: ({ kind }) => linkKindText(kind) },
    { id: "speed", label: "Speed", cell: ({ speed_mbps }) => speed_mbps !== null && speedText(speed_mbps) },
    {
      id: "vlans",
      label: "VLANs",
      cell: ({ vlan_ids }) => vlan_ids.flatMap((one) => vlanTexts.get(one) ?? []).join(", "),
    },
  ];
}

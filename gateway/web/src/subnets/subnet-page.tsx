import { Anchor } from "@mantine/core";
import {
  deleteSubnet,
  getSubnet,
  getVlan,
  HISTORIES,
  type Interface,
  listHosts,
  listInterfaces,
  type Subnet,
} from "@nts/shared/contract";
import type { ReactNode } from "react";
import { Link, useParams } from "react-router";
import { HistoryPart } from "../activity/history-part.js";
import { useOne, useRows } from "../api/queries.js";
import { type Column, DataTable } from "../list/data-table.js";
import { AttributeList } from "../forms/attribute-list.js";
import { EntityPage } from "../list/entity-page.js";
import { vlanText } from "../links/vlan-text.js";
import { FactList } from "../parts/fact-list.js";
import { FailureState } from "../parts/failure-state.js";
import { Panel } from "../parts/page.js";
import { ListPart, Part, PartBody, PartRemark } from "../parts/part.js";
import { subnetTypeText } from "../parts/texts.js";
import { When } from "../parts/when.js";
import { hostPath, PATHS } from "../paths.js";
import { NetworkLink } from "../scope/network-link.js";
import { TagBadges } from "../tags/tag-badges.js";
import { useTags } from "../tags/tags.js";
import { SubnetEditor } from "./subnet-editor.js";
import { Utilization } from "./utilization.js";

/** Maximum interfaces shown; the list of hosts shows all. */
const SHOWN = 100;

/** A subnet with utilization, reserved ranges and interfaces. */
export default function SubnetPage(): ReactNode {
  const { id = "" } = useParams();
  return (
    <EntityPage
      read={useOne(getSubnet, { params: { id } })}
      noun="subnet"
      list={PATHS.subnets}
      remove={deleteSubnet}
      consequence="A subnet cannot be deleted while interfaces have addresses in it."
      editor={(subnetId, close) => <SubnetEditor id={subnetId} onClose={close} />}
      history={<HistoryPart operation={HISTORIES.Subnet} id={id} />}
    >
      {(subnet) => (
        <>
          <Panel pad>
            <Facts subnet={subnet} />
          </Panel>
          <Part title="Addresses">
            <PartBody>
              <Utilization subnetId={subnet.id} />
            </PartBody>
          </Part>
          <ReservedPart subnet={subnet} />
          <InterfacesIn subnet={subnet} />
        </>
      )}
    </EntityPage>
  );
}

function Facts({ subnet }: { readonly subnet: Subnet }): ReactNode {
  const tags = useTags();
  const vlan = useOne(getVlan, { params: { id: subnet.vlan_id ?? "" } }, { enabled: subnet.vlan_id !== null }).data
    ?.data;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [
      "Range (CIDR)",
      <span key="range" className="mono">
        {subnet.cidr}
      </span>,
    ],
    ["Network", <NetworkLink key="network" id={subnet.network_id} />],
    ["Type", subnet.subnet_type !== null && subnetTypeText(subnet.subnet_type)],
    ["VLAN", subnet.vlan_id !== null && (vlan === undefined ? "…" : vlanText(vlan))],
    ["Description", subnet.description],
    ["Tags", subnet.tags.length > 0 && <TagBadges tags={subnet.tags} known={tags} />],
    ["Attributes", Object.keys(subnet.attributes).length > 0 && <AttributeList attributes={subnet.attributes} />],
    ["Source", subnet.source.type],
    ["Changed", <When key="changed" at={subnet.updated_at} />],
  ];
  return <FactList facts={facts} />;
}

function ReservedPart({ subnet: { reserved } }: { readonly subnet: Subnet }): ReactNode {
  type Range = Subnet["reserved"][number];
  const columns: readonly Column<Range>[] = [
    {
      id: "range",
      label: "Addresses",
      cell: ({ from, to }) => <span className="mono">{from === to ? from : `${from} – ${to}`}</span>,
    },
    { id: "purpose", label: "Purpose", cell: ({ purpose }) => purpose },
  ];
  return (
    <ListPart
      title="Reserved ranges"
      count={reserved.length}
      none="None. Edit the subnet to reserve a range, such as a DHCP pool."
    >
      <DataTable
        label="Reserved ranges"
        columns={columns}
        rows={reserved}
        idOf={({ from }) => from}
        nameOf={({ from, to }) => `${from} – ${to}`}
      />
    </ListPart>
  );
}

/** The interfaces with the lowest addresses, and their hosts. */
function InterfacesIn({ subnet }: { readonly subnet: Subnet }): ReactNode {
  const query = { subnet_id: subnet.id, order_by: "ip_address", limit: SHOWN } as const;
  const { data, error, refetch } = useRows(listInterfaces, { query });
  const interfaces = data?.data ?? [];
  const ids = [...new Set(interfaces.map(({ host_id }) => host_id))];
  const owners = useRows(listHosts, { query: { ids, limit: SHOWN } }, { enabled: ids.length > 0 });
  const nameOf = new Map(owners.data?.data.map(({ id, name }) => [id, name]));
  const columns: readonly Column<Interface>[] = [
    { id: "address", label: "Address", cell: ({ ip_address }) => <span className="mono">{ip_address}</span> },
    {
      id: "host",
      label: "Host",
      cell: ({ host_id }) => (
        <Anchor component={Link} to={hostPath(host_id)} size="sm">
          {nameOf.get(host_id) ?? "…"}
        </Anchor>
      ),
    },
    { id: "name", label: "Interface", cell: ({ name }) => name },
    {
      id: "mac",
      label: "MAC address",
      optional: true,
      cell: ({ mac_address }) => mac_address !== null && <span className="mono">{mac_address}</span>,
    },
  ];
  if (error !== null && data === undefined) return <FailureState error={error} onRetry={() => void refetch()} />;
  const total = data?.pagination.total_count ?? 0;
  return (
    <ListPart title="Interfaces" count={total} none="No interface has an address in this subnet.">
      <DataTable
        label="Interfaces"
        columns={columns}
        rows={interfaces}
        idOf={({ id }) => id}
        nameOf={({ ip_address }) => ip_address}
      />
      {total > SHOWN && <PartRemark>The {SHOWN} with the lowest addresses.</PartRemark>}
    </ListPart>
  );
}

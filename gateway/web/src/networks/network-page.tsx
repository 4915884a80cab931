import { Anchor } from "@mantine/core";
import {
  deleteNetwork,
  getNetwork,
  getStats,
  HISTORIES,
  type Host,
  listHosts,
  listSubnets,
  type Network,
  type Subnet,
} from "@nts/shared/contract";
import type { ReactNode } from "react";
import { Link, useParams } from "react-router";
import { HistoryPart } from "../activity/history-part.js";
import { useOne, useRows } from "../api/queries.js";
import { Addresses } from "../hosts/addresses.js";
import { RoleFact } from "../observed/observed.js";
import { useVlanTexts } from "../links/vlan-text.js";
import { type Column, DataTable } from "../list/data-table.js";
import { AttributeList } from "../forms/attribute-list.js";
import { EntityPage, MapButton } from "../list/entity-page.js";
import { FactList } from "../parts/fact-list.js";
import { Panel } from "../parts/page.js";
import { ListPart, PartRemark } from "../parts/part.js";
import { SeenName } from "../parts/seen.js";
import { subnetTypeText } from "../parts/texts.js";
import { When } from "../parts/when.js";
import { hostPath, PATHS, subnetPath } from "../paths.js";
import { useNetworkScope } from "../scope/networks.js";
import { useSubnetUse } from "../subnets/use-subnet-use.js";
import { usedColumns } from "../subnets/used-columns.js";
import { TagBadges } from "../tags/tag-badges.js";
import { useTags } from "../tags/tags.js";
import { NetworkEditor } from "./network-editor.js";

/** Maximum subnets and hosts shown; their lists show all. */
const SHOWN = 50;

/** A network with what is in it: counts, subnets and how full they are, hosts. */
export default function NetworkPage(): ReactNode {
  const { id = "" } = useParams();
  const { choose } = useNetworkScope();
  return (
    <EntityPage
      read={useOne(getNetwork, { params: { id } })}
      noun="network"
      list={PATHS.networks}
      remove={deleteNetwork}
      consequence="All of its subnets, hosts, interfaces, ports and services are deleted as well."
      needs="Admin"
      editor={(networkId, close) => <NetworkEditor id={networkId} onClose={close} />}
      onMap={(network) => <MapButton to={PATHS.topology} onClick={() => choose(network.id)} />}
      history={<HistoryPart operation={HISTORIES.Network} id={id} />}
    >
      {(network) => (
        <>
          <Panel pad>
            <Facts network={network} />
          </Panel>
          <SubnetsPart network={network} />
          <HostsPart network={network} />
        </>
      )}
    </EntityPage>
  );
}

function Facts({ network }: { readonly network: Network }): ReactNode {
  const tags = useTags();
  const totals = useOne(getStats, { query: { network_id: network.id } }).data?.data.totals;
  const count = (kind: "subnets" | "hosts" | "services"): ReactNode => totals?.[kind].toLocaleString("en") ?? "…";
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Subnets", count("subnets")],
    ["Hosts", count("hosts")],
    ["Services", count("services")],
    ["Tags", network.tags.length > 0 && <TagBadges tags={network.tags} known={tags} />],
    ["Attributes", Object.keys(network.attributes).length > 0 && <AttributeList attributes={network.attributes} />],
    ["Changed", <When key="changed" at={network.updated_at} />],
  ];
  return <FactList facts={facts} />;
}

interface ContentsProps {
  readonly network: Network;
}

function SubnetsPart({ network: { id } }: ContentsProps): ReactNode {
  const query = { network_id: id, order_by: "cidr", limit: SHOWN } as const;
  const { data } = useRows(listSubnets, { query });
  const subnets = data?.data ?? [];
  const uses = useSubnetUse(subnets.map((subnet) => subnet.id));
  const vlans = useVlanTexts(subnets.map(({ vlan_id }) => vlan_id));
  const total = data?.pagination.total_count ?? 0;
  const columns: readonly Column<Subnet>[] = [
    {
      id: "cidr",
      label: "Range (CIDR)",
      phone: "first",
      narrow: true,
      cell: (subnet) => (
        <Anchor component={Link} to={subnetPath(subnet.id)} size="sm" className="mono">
          {subnet.cidr}
        </Anchor>
      ),
    },
    { id: "name", label: "Name", phone: "first-end", cell: ({ name }) => name },
    {
      id: "type",
      label: "Type",
      phone: "second",
      cell: ({ subnet_type: type }) => type !== null && subnetTypeText(type),
    },
    { id: "vlan", label: "VLAN", narrow: true, cell: ({ vlan_id }) => vlan_id !== null && (vlans.get(vlan_id) ?? "…") },
    ...usedColumns<Subnet>(uses),
  ];
  return (
    <ListPart title="Subnets" count={total} none="No subnets. Import a scan, or add one under Subnets.">
      <DataTable
        label="Subnets"
        columns={columns}
        rows={subnets}
        idOf={(subnet) => subnet.id}
        nameOf={({ name }) => name}
      />
      <AllOf networkId={id} path={PATHS.subnets} isShort={total > subnets.length}>
        All {total.toLocaleString("en")} subnets
      </AllOf>
    </ListPart>
  );
}

const HOST_COLUMNS: readonly Column<Host>[] = [
  {
    id: "name",
    label: "Name",
    phone: "first",
    cell: (host) => (
      <SeenName of={host} to={hostPath(host.id)} fw={600}>
        {host.name}
      </SeenName>
    ),
  },
  {
    id: "addresses",
    label: "Addresses",
    phone: "second",
    cell: ({ interfaces }) => <Addresses interfaces={interfaces} />,
  },
  { id: "role", label: "Role", phone: "first-end", cell: (host) => <RoleFact {...host} /> },
  {
    id: "services",
    label: "Services",
    numbers: true,
    narrow: true,
    phone: "second-end",
    cell: ({ services }) => services.length,
  },
];

function HostsPart({ network: { id } }: ContentsProps): ReactNode {
  const query = { network_id: id, order_by: "address", limit: SHOWN } as const;
  const { data } = useRows(listHosts, { query });
  const hosts = data?.data ?? [];
  const total = data?.pagination.total_count ?? 0;
  return (
    <ListPart title="Hosts" count={total} none="No hosts. Import a scan, or add one under Hosts.">
      <DataTable
        label="Hosts"
        columns={HOST_COLUMNS}
        rows={hosts}
        idOf={(host) => host.id}
        nameOf={({ name }) => name}
      />
      <AllOf networkId={id} path={PATHS.hosts} isShort={total > hosts.length}>
        All {total.toLocaleString("en")} hosts
      </AllOf>
    </ListPart>
  );
}

interface AllOfProps {
  readonly networkId: string;
  readonly path: string;
  /** Not all are shown here. */
  readonly isShort: boolean;
  readonly children: ReactNode;
}

/** Leads to a list, which is restricted to the network. */
function AllOf({ networkId, path, isShort, children }: AllOfProps): ReactNode {
  const { choose } = useNetworkScope();
  if (!isShort) return null;
  return (
    <PartRemark>
      The first {SHOWN} by address.{" "}
      <Anchor component={Link} to={path} size="sm" onClick={() => choose(networkId)}>
        {children}
      </Anchor>
    </PartRemark>
  );
}

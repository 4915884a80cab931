import { Anchor, Button, Title } from "@mantine/core";
import { deleteSubnet, getSubnet, type Interface, listHosts, listInterfaces, type Subnet } from "@nts/shared/contract";
import { ArrowLeft, Pencil, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { useOne, useRows } from "../api/queries.js";
import { Part } from "../hosts/part.js";
import hosts from "../hosts/hosts.module.css";
import { type Column, DataTable } from "../list/data-table.js";
import { useRemoval } from "../list/use-removal.js";
import { FactList } from "../parts/fact-list.js";
import { FailureState } from "../parts/failure-state.js";
import { Page, Panel } from "../parts/page.js";
import { Waiting } from "../parts/waiting.js";
import { When } from "../parts/when.js";
import { hostPath, PATHS } from "../paths.js";
import { useMay } from "../session/session.js";
import { useNetworkScope } from "../shell/networks.js";
import { TagBadges } from "../tags/tag-badges.js";
import { useTags } from "../tags/tags.js";
import { SubnetEditor } from "./subnet-editor.js";
import { Utilization } from "./utilization.js";

/** Interfaces that are shown; a list of all is that of hosts. */
const SHOWN = 100;

/** One subnet: how full it is, what is reserved in it, and who has its addresses. */
export default function SubnetPage(): ReactNode {
  const { id = "" } = useParams();
  const { data, error, refetch } = useOne(getSubnet, { params: { id } });
  if (data !== undefined) return <SubnetView subnet={data.data} />;
  if (error === null) return <Waiting />;
  return (
    <Page title="Subnet">
      <FailureState error={error} onRetry={() => void refetch()} />
    </Page>
  );
}

function SubnetView({ subnet }: { readonly subnet: Subnet }): ReactNode {
  const may = useMay("Member");
  const navigate = useNavigate();
  const [isEdited, setEdited] = useState(false);
  const { removeOne } = useRemoval({
    one: deleteSubnet,
    noun: "subnet",
    consequence: "A subnet cannot be deleted while interfaces have addresses in it.",
  });
  return (
    <Page
      title={subnet.name}
      about={
        <Anchor component={Link} to={PATHS.subnets} size="sm" c="dimmed">
          <ArrowLeft size={14} aria-hidden /> All subnets
        </Anchor>
      }
      actions={
        may && (
          <>
            <Button
              variant="default"
              color="red"
              leftSection={<Trash2 size={16} aria-hidden />}
              onClick={() => removeOne(subnet.id, subnet.name, () => void navigate(PATHS.subnets))}
            >
              Delete
            </Button>
            <Button leftSection={<Pencil size={16} aria-hidden />} onClick={() => setEdited(true)}>
              Edit
            </Button>
          </>
        )
      }
    >
      <Panel pad>
        <Facts subnet={subnet} />
      </Panel>
      <Panel>
        <div className={hosts.partHead}>
          <Title order={2}>Addresses</Title>
        </div>
        <div className={hosts.partBody}>
          <Utilization subnetId={subnet.id} />
        </div>
      </Panel>
      <ReservedPart subnet={subnet} />
      <InterfacesIn subnet={subnet} />
      {isEdited && <SubnetEditor id={subnet.id} onClose={() => setEdited(false)} />}
    </Page>
  );
}

function Facts({ subnet }: { readonly subnet: Subnet }): ReactNode {
  const tags = useTags();
  const { nameOf } = useNetworkScope();
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Block", <span key="block" className="mono">{subnet.cidr}</span>],
    ["Network", nameOf(subnet.network_id)],
    ["Type", subnet.subnet_type],
    ["Description", subnet.description],
    ["Tags", subnet.tags.length > 0 && <TagBadges tags={subnet.tags} known={tags} />],
    ["Source", subnet.source.type],
    ["Changed", <When key="changed" at={subnet.updated_at} />],
  ]; // prettier-ignore
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
    <Part
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
    </Part>
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
    { id: "mac", label: "MAC address", optional: true, cell: ({ mac_address }) => mac_address !== null && <span className="mono">{mac_address}</span> }, // prettier-ignore
  ];
  if (error !== null && data === undefined) return <FailureState error={error} onRetry={() => void refetch()} />;
  const total = data?.pagination.total_count ?? 0;
  return (
    <Part title="Interfaces" count={total} none="No interface has an address in this subnet.">
      <DataTable
        label="Interfaces"
        columns={columns}
        rows={interfaces}
        idOf={({ id }) => id}
        nameOf={({ ip_address }) => ip_address}
      />
      {total > SHOWN && <p className={hosts.none}>The {SHOWN} with the lowest addresses.</p>}
    </Part>
  );
}

import { Anchor } from "@mantine/core";
import {
  deleteService,
  getHost,
  getService,
  HISTORIES,
  type Host,
  type Port,
  type Service,
} from "@nts/shared/contract";
import type { ReactNode } from "react";
import { Link, useParams } from "react-router";
import { HistoryPart } from "../activity/history-part.js";
import { useOne } from "../api/queries.js";
import { DependenciesPart } from "../dependencies/dependencies-part.js";
import { ImpactPart } from "../dependencies/impact-part.js";
import { ServiceStops } from "../dependencies/service-stops.js";
import { AttributeList } from "../forms/attribute-list.js";
import { CertificateText, ProductText } from "../observed/observed.js";
import { type Column, DataTable } from "../list/data-table.js";
import { EntityPage } from "../list/entity-page.js";
import { FactList } from "../parts/fact-list.js";
import { Panel } from "../parts/page.js";
import { ListPart } from "../parts/part.js";
import { SeenText } from "../parts/seen.js";
import { portText } from "../parts/socket-texts.js";
import { VirtualizationText } from "../parts/virtualization-text.js";
import { When } from "../parts/when.js";
import { hostPath, PATHS } from "../paths.js";
import { NetworkLink } from "../scope/network-link.js";
import { Sockets } from "../sockets/socket-list.js";
import { boundOf, type ServiceSocket, socketsOf } from "../sockets/sockets.js";
import { TagBadges } from "../tags/tag-badges.js";
import { useTags } from "../tags/tags.js";
import { ServiceEditor } from "./service-editor.js";

/** A service: where it runs and listens, what uses it, what it uses, and what stops with it. */
export default function ServicePage(): ReactNode {
  const { id = "" } = useParams();
  const read = useOne(getService, { params: { id } });
  const hostId = read.data?.data.host_id ?? "";
  const host = useOne(getHost, { params: { id: hostId } }, { enabled: hostId !== "" }).data?.data;
  return (
    <EntityPage
      read={read}
      noun="service"
      list={PATHS.services}
      remove={deleteService}
      consequence="Its bindings and dependencies are deleted as well."
      stopsWith={(serviceId) => <ServiceStops id={serviceId} />}
      editor={(serviceId, close) => <ServiceEditor hostId={hostId} id={serviceId} onClose={close} />}
      history={<HistoryPart operation={HISTORIES.Service} id={id} />}
    >
      {(service, mayWrite) => (
        <>
          <Panel pad>
            <Facts service={service} host={host} />
          </Panel>
          {host !== undefined && (
            <>
              <BindingsPart service={service} host={host} />
              <DependenciesPart host={host} serviceId={service.id} mayWrite={mayWrite} />
            </>
          )}
          <ImpactPart of={{ kind: "service", id: service.id }} />
        </>
      )}
    </EntityPage>
  );
}

interface OnHostProps {
  readonly service: Service;
  readonly host: Host;
}

function Facts({ service, host }: { readonly service: Service; readonly host: Host | undefined }): ReactNode {
  const tags = useTags();
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Type", service.service_definition],
    [
      "Host",
      <Anchor key="host" component={Link} to={hostPath(service.host_id)} size="sm">
        {host?.name ?? "…"}
      </Anchor>,
    ],
    ["Network", <NetworkLink key="network" id={service.network_id} />],
    ["Version", service.observed !== null && <ProductText observed={service.observed} />],
    ["Virtualization", service.virtualization !== null && <VirtualizationText {...service.virtualization} />],
    ["Tags", service.tags.length > 0 && <TagBadges tags={service.tags} known={tags} />],
    ["Attributes", Object.keys(service.attributes).length > 0 && <AttributeList attributes={service.attributes} />],
    ["Source", service.source.type],
    ["Seen", <SeenText key="seen" {...service} />],
    ["Changed", <When key="changed" at={service.updated_at} />],
  ];
  return <FactList facts={facts} />;
}

/** A binding with the port or interface that it names, and where the service is reachable by it. */
interface BindingRow {
  readonly id: string;
  readonly port: Port | undefined;
  readonly sockets: readonly ServiceSocket[];
}

function BindingsPart({ service, host }: OnHostProps): ReactNode {
  const addresses = host.interfaces.map(({ ip_address }) => ip_address);
  const rows = service.bindings.map((binding): BindingRow => ({
    id: binding.id,
    port: binding.type === "Port" ? host.ports.find(({ id }) => id === binding.port_id) : undefined,
    sockets: socketsOf(service.service_definition, boundOf([binding], host), addresses),
  }));
  return (
    <ListPart title="Bindings" count={rows.length} none="None. Edit the service to bind it to ports of its host.">
      <DataTable
        label="Bindings"
        columns={BINDING_COLUMNS}
        rows={rows}
        idOf={({ id }) => id}
        nameOf={({ port, sockets }) => (port === undefined ? (sockets[0]?.text ?? "") : portText(port))}
      />
    </ListPart>
  );
}

const BINDING_COLUMNS: readonly Column<BindingRow>[] = [
  {
    id: "port",
    label: "Port",
    narrow: true,
    cell: ({ port }) => (port === undefined ? "any" : <span className="mono">{portText(port)}</span>),
  },
  { id: "address", label: "Address", cell: ({ sockets }) => <Sockets sockets={sockets} /> },
  {
    id: "certificate",
    label: "Certificate",
    cell: ({ port }) => port !== undefined && <CertificateText observed={port.observed} />,
  },
];

import { Button, Group, Text } from "@mantine/core";
import { deletePort, deleteService, type Host, type Service, updateService } from "@nts/shared/contract";
import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useWrite } from "../api/queries.js";
import { ServiceStops } from "../dependencies/service-stops.js";
import { type Column, DataTable } from "../list/data-table.js";
import { useRemoval } from "../list/use-removal.js";
import { AttributeList } from "../forms/attribute-list.js";
import { Part, PartRemark } from "../parts/part.js";
import { type RowAction, RowMenu } from "../parts/row-menu.js";
import { SeenName } from "../parts/seen.js";
import { portTypeText, virtualizationTypeText } from "../parts/texts.js";
import { notifyFailure } from "../parts/toast.js";
import { ServiceEditor } from "../services/service-editor.js";
import { Sockets } from "../sockets/socket-list.js";
import { TagBadges } from "../tags/tag-badges.js";
import { type KnownTags, useTags } from "../tags/tags.js";
import { type Endpoint, endpointsOf } from "./endpoints.js";
import classes from "./hosts.module.css";
import { CertificateText, ProductText } from "../observed/observed.js";
import { PortEditor } from "./port-editor.js";
import { portText } from "../parts/socket-texts.js";
import { servicePath } from "../paths.js";

type Edited = { readonly kind: "port" | "service"; readonly id: string | null } | null;

/** The ports and services of a host in one table: port, service, address and version. */
export function EndpointsPart({ host, mayWrite }: { readonly host: Host; readonly mayWrite: boolean }): ReactNode {
  const [edited, setEdited] = useState<Edited>(null);
  const tags = useTags();
  const rows = endpointsOf(host);
  const actionsOf = useEndpointActions(host, setEdited);
  const close = (): void => setEdited(null);
  return (
    <>
      <Part
        title={
          <>
            Ports and services{" "}
            <Text component="span" c="dimmed" className="numbers" inherit fw={400}>
              {host.ports.length} and {host.services.length}
            </Text>
          </>
        }
        action={
          mayWrite && (
            <Group gap="xs">
              <AddButton label="Add port" onClick={() => setEdited({ kind: "port", id: null })} />
              <AddButton label="Add service" onClick={() => setEdited({ kind: "service", id: null })} />
            </Group>
          )
        }
      >
        {rows.length === 0 ? (
          <PartRemark>None. Services are bound to ports.</PartRemark>
        ) : (
          <DataTable
            label="Ports and services"
            columns={columnsOf(rows, tags)}
            rows={rows}
            idOf={({ id }) => id}
            nameOf={nameOf}
            actions={mayWrite ? (row) => <RowMenu name={nameOf(row)} actions={actionsOf(row)} /> : undefined}
          />
        )}
      </Part>
      {edited?.kind === "port" && <PortEditor host={host} id={edited.id} onClose={close} />}
      {edited?.kind === "service" && <ServiceEditor hostId={host.id} id={edited.id} onClose={close} />}
    </>
  );
}

function AddButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }): ReactNode {
  return (
    <Button size="xs" variant="default" leftSection={<Plus size={14} aria-hidden />} onClick={onClick}>
      {label}
    </Button>
  );
}

/** Such as `web at 443/tcp`. */
function nameOf({ port, service }: Endpoint): string {
  return [service?.name, port === null ? undefined : portText(port)].filter(Boolean).join(" at ");
}

/** To edit, move and delete the service and the port of a row. */
function useEndpointActions(host: Host, onEdit: (edited: Edited) => void): (row: Endpoint) => readonly RowAction[] {
  const move = useWrite(updateService);
  const services = useRemoval({
    one: deleteService,
    noun: "service",
    consequence: "Its bindings are deleted as well.",
    stopsWith: (id) => <ServiceStops id={id} />,
  });
  const ports = useRemoval({
    one: deletePort,
    noun: "port",
    consequence: "Service bindings that refer to it are removed as well.",
  });
  const moveTo = (service: Service, position: number): void => {
    // absent members are unchanged
    const body = { ...service, position, virtualization: undefined };
    move.mutate({ params: { id: service.id }, body }, { onError: notifyFailure });
  };
  const ofService = (service: Service): readonly RowAction[] => {
    const { id, name, position } = service;
    const isLast = position === host.services.length - 1;
    return [
      { label: "Edit service", icon: Pencil, run: () => onEdit({ kind: "service", id }) },
      { label: "Move up", icon: ArrowUp, isDisabled: position === 0, run: () => moveTo(service, position - 1) },
      { label: "Move down", icon: ArrowDown, isDisabled: isLast, run: () => moveTo(service, position + 1) },
      { label: "Delete service", icon: Trash2, isDestructive: true, run: () => services.removeOne(id, name) },
    ];
  };
  return ({ port, service }) => [
    ...(service === null ? [] : ofService(service)),
    ...(port === null
      ? []
      : [
          { label: "Edit port", icon: Pencil, run: () => onEdit({ kind: "port", id: port.id }) },
          {
            label: "Delete port",
            icon: Trash2,
            isDestructive: true,
            run: () => ports.removeOne(port.id, portText(port)),
          },
        ]),
  ];
}

/** Columns that no row fills are absent. */
function columnsOf(rows: readonly Endpoint[], tags: KnownTags): readonly Column<Endpoint>[] {
  const has = (isFilled: (row: Endpoint) => boolean, column: Column<Endpoint>): readonly Column<Endpoint>[] =>
    rows.some(isFilled) ? [column] : [];
  return [
    {
      id: "port",
      label: "Port",
      numbers: true,
      narrow: true,
      cell: ({ port }) => port !== null && <SeenPort port={port} />,
    },
    { id: "service", label: "Service", cell: ({ port, service }) => <ServiceName port={port} service={service} /> },
    { id: "address", label: "Address", cell: ({ sockets }) => sockets.length > 0 && <Sockets sockets={sockets} /> },
    ...has(hasVersion, {
      id: "version",
      label: "Version",
      cell: ({ port, service }) => (
        <>
          {service !== null && <ProductText {...service} />}
          <Detail text={port?.observed?.title?.value} />
        </>
      ),
    }),
    ...has(({ port }) => (port?.observed?.certificate ?? null) !== null, {
      id: "certificate",
      label: "Certificate",
      cell: ({ port }) => port !== null && <CertificateText {...port} />,
    }),
    ...has(({ service }) => Object.keys(service?.attributes ?? {}).length > 0, {
      id: "attributes",
      label: "Attributes",
      optional: true,
      cell: ({ service }) => service !== null && <AttributeList attributes={service.attributes} />,
    }),
    ...has(({ service }) => (service?.tags.length ?? 0) > 0, {
      id: "tags",
      label: "Tags",
      cell: ({ service }) =>
        service !== null && service.tags.length > 0 && <TagBadges tags={service.tags} known={tags} />,
    }),
    { id: "source", label: "Source", narrow: true, optional: true, cell: ({ service }) => service?.source.type },
  ];
}

function hasVersion({ port, service }: Endpoint): boolean {
  return (service?.observed ?? null) !== null || (port?.observed?.title ?? null) !== null;
}

function SeenPort({ port }: { readonly port: NonNullable<Endpoint["port"]> }): ReactNode {
  return (
    <SeenName of={port} className="mono">
      {portText(port)}
    </SeenName>
  );
}

/** The service with its type; for a port without one, what usually is there. */
function ServiceName({ port, service }: Pick<Endpoint, "port" | "service">): ReactNode {
  if (service === null)
    return port === null || port.type === "Custom" ? null : (
      <Text component="span" inherit c="dimmed">
        usually {portTypeText(port.type)}
      </Text>
    );
  const { name, service_definition: definition } = service;
  return (
    <>
      <SeenName of={service} to={servicePath(service.id)} fw={700}>
        {name}
      </SeenName>
      {definition !== name && <Detail text={definition} />}
      <Detail text={runningText(service.virtualization)} />
    </>
  );
}

/** Such as `Docker nginx:1.27`; undefined for a service that is not virtualized. */
function runningText(virtualization: Service["virtualization"]): string | undefined {
  if (virtualization === null) return undefined;
  const { type, details } = virtualization;
  const image = details["image"];
  return [virtualizationTypeText(type), typeof image === "string" ? image : ""].join(" ").trim();
}

function Detail({ text }: { readonly text: string | undefined }): ReactNode {
  return text === undefined ? null : <span className={classes.detail}>{text}</span>;
}

import { deleteService, type Host, type Service, updateService } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { useWrite } from "../api/queries.js";
import type { OpenEditor } from "../forms/for-editing.js";
import { type Column, DataTable } from "../list/data-table.js";
import { useRemoval } from "../list/use-removal.js";
import { AttributeList } from "../parts/attribute-list.js";
import { EditMenu } from "../parts/edit-menu.js";
import { ListPart } from "../parts/part.js";
import { SeenName } from "../parts/seen.js";
import { notifyFailure } from "../parts/toast.js";
import { ServiceEditor } from "../services/service-editor.js";
import { SocketList } from "../sockets/socket-list.js";
import { TagBadges } from "../tags/tag-badges.js";
import { type KnownTags, useTags } from "../tags/tags.js";
import { ProductText } from "./observed.js";
import { VirtualizationText } from "./virtualization-text.js";

/** Absent if there are none. */
const VIRTUALIZATION: Column<Service> = {
  id: "virtualization",
  label: "Virtualization",
  cell: ({ virtualization }) => virtualization !== null && <VirtualizationText {...virtualization} />,
};

/** Absent if there are none. */
const ATTRIBUTES: Column<Service> = {
  id: "attributes",
  label: "Attributes",
  optional: true,
  cell: ({ attributes }) => <AttributeList attributes={attributes} />,
};

/** Absent if no source says anything. */
const PRODUCT: Column<Service> = { id: "product", label: "Product", cell: (service) => <ProductText {...service} /> };

/** The services of a host by position, with their bindings. */
export function ServicesPart({ host, mayWrite }: { readonly host: Host; readonly mayWrite: boolean }): ReactNode {
  const [edited, setEdited] = useState<OpenEditor>(null);
  const tags = useTags();
  const move = useWrite(updateService);
  const { removeOne } = useRemoval({
    one: deleteService,
    noun: "service",
    consequence: "Its bindings are deleted as well.",
  });
  const moveTo = (service: Service, position: number): void => {
    // absent members are unchanged
    const body = { ...service, position, virtualization: undefined };
    move.mutate({ params: { id: service.id }, body }, { onError: notifyFailure });
  };
  return (
    <>
      <ListPart
        title="Services"
        count={host.services.length}
        none="No services."
        add={mayWrite ? { label: "Add service", run: () => setEdited({ id: null }) } : undefined}
      >
        <DataTable
          label="Services"
          columns={columnsOf(host, tags)}
          rows={host.services}
          idOf={({ id }) => id}
          nameOf={({ name }) => name}
          actions={
            mayWrite
              ? (service) => (
                  <EditMenu
                    name={service.name}
                    onEdit={() => setEdited({ id: service.id })}
                    onDelete={() => removeOne(service.id, service.name)}
                    place={{
                      position: service.position,
                      count: host.services.length,
                      moveTo: (position) => moveTo(service, position),
                    }}
                  />
                )
              : undefined
          }
        />
      </ListPart>
      {edited !== null && <ServiceEditor hostId={host.id} id={edited.id} onClose={() => setEdited(null)} />}
    </>
  );
}

function columnsOf(host: Host, tags: KnownTags): readonly Column<Service>[] {
  return [
    {
      id: "name",
      label: "Name",
      cell: (service) => (
        <SeenName of={service} fw={700}>
          {service.name}
        </SeenName>
      ),
    },
    { id: "definition", label: "Definition", cell: ({ service_definition }) => service_definition },
    ...(host.services.some(({ observed }) => observed !== null) ? [PRODUCT] : []),
    ...(host.services.some(({ virtualization }) => virtualization !== null) ? [VIRTUALIZATION] : []),
    ...(host.services.some(({ attributes }) => Object.keys(attributes).length > 0) ? [ATTRIBUTES] : []),
    { id: "address", label: "Address", cell: (service) => <SocketList service={service} host={host} /> },
    {
      id: "tags",
      label: "Tags",
      cell: (service) => service.tags.length > 0 && <TagBadges tags={service.tags} known={tags} />,
    },
    { id: "source", label: "Source", narrow: true, cell: ({ source }) => source.type },
  ];
}

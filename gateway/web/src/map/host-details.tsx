import { Text, Title } from "@mantine/core";
import { getHost, type Host, type Service } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useOne } from "../api/queries.js";
import { portText } from "../parts/socket-texts.js";
import { FailureState } from "../parts/failure-state.js";
import { NotSeen, SeenName } from "../parts/seen.js";
import { portTypeText } from "../parts/texts.js";
import { Waiting } from "../parts/waiting.js";
import { SocketList } from "../sockets/socket-list.js";
import { colourOf } from "./colours.js";
import { LinksDetails } from "./links-details.js";
import type { Model } from "./model.js";
import { NeedsDetails } from "./needs-details.js";
import type { PanelProps } from "./panel-props.js";
import classes from "./map.module.css";

/** Interfaces, ports and services of a host, with bindings and virtualization. */
export function HostDetails(props: PanelProps & { readonly hostId: string }): ReactNode {
  const { model, hostId, marks, at, to, onSelect } = props;
  const shownAt = marks?.get(hostId) === "new" ? to : (at ?? to);
  const query = shownAt === null ? {} : { query: { as_of: shownAt } };
  const { data, error, refetch } = useOne(getHost, { params: { id: hostId }, ...query });
  if (error !== null && data === undefined) return <FailureState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Waiting />;
  const host = data.data;
  return (
    <>
      <NotSeen {...host} />
      {host.description !== null && <Text size="sm">{host.description}</Text>}
      <Runs model={model} host={host} onSelect={onSelect} />
      <NeedsDetails {...props} />
      <LinksDetails {...{ model, hostId, onSelect }} />
      <Title order={3}>Interfaces ({host.interfaces.length})</Title>
      <ul className={classes.rows}>
        {host.interfaces.map(({ id, name, ip_address, mac_address, subnet_id, ...sighting }) => (
          <li key={id}>
            <span>
              <SeenName of={sighting} className="mono">
                {ip_address}
              </SeenName>
            </span>
            <span>{name ?? ""}</span>
            <button type="button" onClick={() => onSelect(subnet_id)}>
              {model.nodes.get(subnet_id)?.label ?? "Subnet"}
            </button>
            {mac_address !== null && <span className={`mono ${classes.minor ?? ""}`}>{mac_address}</span>}
          </li>
        ))}
      </ul>
      <Title order={3}>Ports ({host.ports.length})</Title>
      <ul className={classes.chips}>
        {host.ports.map((port) => (
          <li key={port.id} className="mono" title={port.type === "Custom" ? undefined : portTypeText(port.type)}>
            {portText(port)}
          </li>
        ))}
      </ul>
      <Title order={3}>Services ({host.services.length})</Title>
      <ul className={classes.services}>
        {host.services.map((service) => (
          <ServiceRow key={service.id} {...props} host={host} service={service} />
        ))}
      </ul>
    </>
  );
}

interface ServiceRowProps extends PanelProps {
  readonly host: Host;
  readonly service: Service;
}

function ServiceRow({ model, node, scheme, host, service, onSelect }: ServiceRowProps): ReactNode {
  const { id, name, service_definition } = service;
  const known = model.nodes.get(id);
  return (
    <li data-selected={id === node.id || undefined}>
      <button type="button" onClick={() => onSelect(id)}>
        <svg width="10" height="10" aria-hidden>
          <circle cx="5" cy="5" r="4.5" fill={known === undefined ? "currentColor" : colourOf(known, scheme)} />
        </svg>
        {name}
      </button>
      {service_definition !== name && <span className={classes.minor}>{service_definition}</span>}
      <SocketList service={service} host={host} />
    </li>
  );
}

/** What virtualizes the host and its services, and what they virtualize. */
function Runs({
  model,
  host,
  onSelect,
}: {
  readonly model: Model;
  readonly host: Host;
  readonly onSelect: (id: string) => void;
}): ReactNode {
  const own = new Set([host.id, ...host.services.map(({ id }) => id)]);
  const under = model.virtualized.filter(({ source, target }) => own.has(source) && !own.has(target));
  const over = model.virtualized.filter(({ source, target }) => own.has(target) && !own.has(source));
  if (under.length + over.length === 0) return null;
  const list = (title: string, ids: readonly string[]): ReactNode =>
    ids.length > 0 && (
      <>
        <dt>{title}</dt>
        <dd>
          {ids.map((id) => (
            <button key={id} type="button" onClick={() => onSelect(id)}>
              {model.nodes.get(id)?.label}
            </button>
          ))}
        </dd>
      </>
    );
  return (
    <dl className={classes.facts}>
      {list(
        "Runs on",
        under.map(({ target }) => target),
      )}
      {list(
        "Runs",
        over.map(({ source }) => source),
      )}
    </dl>
  );
}

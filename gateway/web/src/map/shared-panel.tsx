import { CloseButton, Text, Title } from "@mantine/core";
import type { TopologyNode } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { detailBeside } from "../parts/detail.js";
import { roleText } from "../parts/texts.js";
import { portsText } from "../sockets/sockets.js";
import { placesInTree } from "./tree.js";
import { addressesOf, boundTo, hostIdOf, type Model, vlanOf } from "./model.js";
import classes from "./map.module.css";

interface SharedPanelProps {
  readonly model: Model;
  readonly node: TopologyNode;
  readonly onClose: () => void;
}

/** What a share says about a node. It leads nowhere. */
export function SharedPanel({ model, node, onClose }: SharedPanelProps): ReactNode {
  const host = model.hosts.get(hostIdOf(node) ?? "");
  const place = host === undefined ? undefined : placesInTree(model).get(host.node.id);
  const facts = factsOf(node, [...(host === undefined ? [] : addressesOf(host)), place ?? ""]);
  return (
    <section className={classes.panel} aria-label="Details">
      <header>
        <div className={classes.panelTitle}>
          <Title order={2}>{node.label}</Title>
        </div>
        <CloseButton aria-label="Close" onClick={onClose} />
      </header>
      {facts.map((fact) => (
        <Text key={fact} size="sm">
          {fact}
        </Text>
      ))}
      {host !== undefined && host.services.length > 0 && (
        <>
          <Title order={3}>Services ({host.services.length})</Title>
          <ul className={classes.rows}>
            {host.services.map((service) => (
              <li key={service.id}>
                <span>{service.label}</span>
                <span className={classes.minor}>
                  {`${detailBeside(service.label, service.service_definition)} ${portsText(boundTo(model, service.id))}`.trim()}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function factsOf(node: TopologyNode, others: readonly string[]): string[] {
  const own =
    node.kind === "subnet"
      ? [detailBeside(node.label, node.cidr), vlanOf(node)]
      : node.kind === "host"
        ? [detailBeside(node.label, node.hostname), node.role === null ? "" : roleText(node.role)]
        : [detailBeside(node.label, node.service_definition)];
  return [...new Set([...own, ...others])].filter((fact) => fact !== "");
}

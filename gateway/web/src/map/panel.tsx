import { ActionIcon, Button, Group, Text, Title } from "@mantine/core";
import { Pencil, SquareArrowOutUpRight, X } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { Link } from "react-router";
import { subnetTypeText } from "../parts/texts.js";
import { hostPath, PATHS, subnetPath } from "../paths.js";
import { useHasLevel } from "../session/session.js";
import { TagBadges } from "../tags/tag-badges.js";
import { Differences } from "./differences.js";
import { HostDetails } from "./host-details.js";
import { hostIdOf, type SubnetNode } from "./model.js";
import type { PanelProps } from "./panel-props.js";
import classes from "./map.module.css";

// Loaded on demand, because they include the forms library.
const HostEditor = lazy(async () => ({ default: (await import("../hosts/host-editor.js")).HostEditor }));
const SubnetEditor = lazy(async () => ({ default: (await import("../subnets/subnet-editor.js")).SubnetEditor }));

/** Details of a node, with links to its page and editor. */
export function Panel(props: PanelProps): ReactNode {
  const { model, node, tags, at, to, onClose } = props;
  const host = model.hosts.get(hostIdOf(node) ?? "")?.node;
  const shown = host ?? node;
  return (
    <section className={classes.panel} aria-label={`About ${shown.label}`}>
      <header>
        <div className={classes.panelTitle}>
          <Text size="xs" c="dimmed" tt="capitalize">
            {shown.kind}
          </Text>
          <Title order={2}>{shown.label}</Title>
          {shown.kind === "host" && shown.hostname !== null && (
            <Text size="sm" c="dimmed" className="mono">
              {shown.hostname}
            </Text>
          )}
        </div>
        <ActionIcon variant="subtle" color="gray" aria-label="Close" onClick={onClose}>
          <X size={18} aria-hidden />
        </ActionIcon>
      </header>
      <TagBadges tags={shown.tags} known={tags} />
      <Group gap="xs">
        <Button
          component={Link}
          to={
            shown.kind === "host" ? hostPath(shown.id) : shown.kind === "subnet" ? subnetPath(shown.id) : PATHS.subnets
          }
          variant="light"
          size="xs"
          leftSection={<SquareArrowOutUpRight size={14} aria-hidden />}
        >
          {shown.kind === "host" || shown.kind === "subnet" ? "Open" : "Go to subnets"}
        </Button>
        {at === null && to === null && <EditButton node={shown} />}
      </Group>
      <Differences node={shown} diff={props.diff} />
      {shown.kind === "host" ? (
        <HostDetails {...props} hostId={shown.id} />
      ) : (
        shown.kind === "subnet" && <SubnetDetails {...props} subnet={shown} />
      )}
    </section>
  );
}

const EDITORS = { host: HostEditor, subnet: SubnetEditor } as const;

function EditButton({ node: { id, kind } }: Pick<PanelProps, "node">): ReactNode {
  const may = useHasLevel("Member");
  const [isEditing, setEditing] = useState(false);
  if (!may || kind === "service") return null;
  const Editor = EDITORS[kind];
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<Pencil size={14} aria-hidden />}
        onClick={() => setEditing(true)}
      >
        Edit
      </Button>
      {isEditing && (
        <Suspense>
          <Editor id={id} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </>
  );
}

const MOST_HOSTS = 100;

function SubnetDetails({ model, subnet, onSelect }: PanelProps & { readonly subnet: SubnetNode }): ReactNode {
  const through = [...model.hosts.values()].flatMap((host) =>
    host.interfaces.filter(({ target }) => target === subnet.id).map((edge) => ({ host, edge })),
  );
  return (
    <>
      <dl className={classes.facts}>
        <dt>Range</dt>
        <dd className="mono">{subnet.cidr}</dd>
        {subnet.vlan !== null && (
          <>
            <dt>VLAN</dt>
            <dd>
              {subnet.vlan.vid} {subnet.vlan.name}
            </dd>
          </>
        )}
        {subnet.subnet_type !== null && (
          <>
            <dt>Type</dt>
            <dd>{subnetTypeText(subnet.subnet_type)}</dd>
          </>
        )}
      </dl>
      <Title order={3}>Addresses ({through.length})</Title>
      <ul className={classes.links}>
        {through.slice(0, MOST_HOSTS).map(({ host, edge }) => (
          <li key={edge.id}>
            <button type="button" onClick={() => onSelect(host.node.id)}>
              {host.node.label}
            </button>
            <span className="mono">{edge.ip_address}</span>
          </li>
        ))}
      </ul>
      {through.length > MOST_HOSTS && (
        <Text size="sm" c="dimmed">
          And {through.length - MOST_HOSTS} more.
        </Text>
      )}
    </>
  );
}

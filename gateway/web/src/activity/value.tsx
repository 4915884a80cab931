import {
  type Attributes,
  type BindingInput,
  getHost,
  type Role,
  type Virtualization,
  type WebhookFilter,
} from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useOne } from "../api/queries.js";
import { bindingText } from "../parts/socket-texts.js";
import { VirtualizationText } from "../parts/virtualization-text.js";
import { AttributeList } from "../forms/attribute-list.js";
import { roleText } from "../parts/texts.js";
import { When } from "../parts/when.js";
import { useNetworkScope } from "../scope/networks.js";
import { TagBadges } from "../tags/tag-badges.js";
import { useTags } from "../tags/tags.js";
import classes from "./activity.module.css";
import { valueText } from "./entries.js";

const CODE = new Set(["cidr", "ip_address", "mac_address", "hostname", "subnet_id", "host_id", "number"]);

interface ValueProps {
  readonly name: string;
  readonly value: unknown;
  readonly hostId: string | null;
}

/** A member of an entity, formatted as on the entity's page. */
export function Value({ name, value, hostId }: ValueProps): ReactNode {
  const tags = useTags();
  const { nameOf } = useNetworkScope();
  if (name === "network_id" && typeof value === "string") return nameOf(value);
  if (name === "key" && typeof value === "string") return <span className="mono">{value.replace(/\*+$/, "…")}</span>;
  if (name === "missed_since" && typeof value === "string") return <When at={value} />;
  if (name === "source" && isObject(value)) return valueText(value["type"]);
  if (name === "paused" && isObject(value)) return valueText(value["reason"]);
  if (name === "filter" && isObject(value)) return <Filter filter={value as unknown as WebhookFilter} />;
  if (name === "virtualization" && isObject(value)) return <VirtualizationText {...(value as Virtualization)} />;
  if (name === "attributes" && isObject(value))
    return Object.keys(value).length === 0 ? "–" : <AttributeList attributes={value as Attributes} />;
  if (name === "observed" && isObject(value)) return <Lines lines={observedLines(value)} />;
  if (name === "role" && typeof value === "string") return roleText(value as Role);
  if (Array.isArray(value)) {
    if (value.length === 0) return "–";
    if (name === "network_ids") return (value as string[]).map(nameOf).join(", ");
    if (name === "tags") return <TagBadges tags={value as string[]} known={tags} />;
    if (name === "bindings") return <Bindings bindings={value as BindingInput[]} hostId={hostId} />;
    if (name === "reserved") return <Lines lines={(value as Reserved[]).map(reservedText)} />;
  }
  const text = valueText(value);
  return CODE.has(name) || isObject(value) ? <span className="mono">{text}</span> : text;
}

function Filter({
  filter: { network_ids, entities, actions, tag_ids },
}: {
  readonly filter: WebhookFilter;
}): ReactNode {
  const tags = useTags();
  const { nameOf } = useNetworkScope();
  const named = [entities, actions, network_ids.map(nameOf)].filter(({ length }) => length > 0);
  if (named.length === 0 && tag_ids.length === 0) return "Everything";
  return (
    <>
      {named.map((one) => one.join(", ")).join(" · ")}
      {tag_ids.length > 0 && <TagBadges tags={tag_ids} known={tags} />}
    </>
  );
}

interface Reserved {
  readonly from: string;
  readonly to: string;
  readonly purpose?: string | null;
}

function reservedText({ from, to, purpose }: Reserved): string {
  const range = from === to ? from : `${from} – ${to}`;
  return typeof purpose === "string" ? `${range} ${purpose}` : range;
}

/** Bindings with the current names of ports and interfaces. */
function Bindings({
  bindings,
  hostId,
}: {
  readonly bindings: readonly BindingInput[];
  readonly hostId: string | null;
}): ReactNode {
  const { data } = useOne(getHost, { params: { id: hostId ?? "" } }, { enabled: hostId !== null });
  const host = data?.data ?? { ports: [], interfaces: [] };
  return <Lines lines={bindings.map((binding) => bindingText(binding, host))} />;
}

/** What sources say, a line for each member. */
function observedLines(observed: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(observed).flatMap(([name, said]) => {
    if (!isObject(said)) return [];
    const parts = Object.entries(said).filter(
      ([member, value]) => member !== "by" && member !== "since" && value !== null,
    );
    return `${name}: ${parts.map(([, value]) => (Array.isArray(value) ? value.join(" ") : valueText(value))).join(", ")}`;
  });
}

function Lines({ lines }: { readonly lines: readonly string[] }): ReactNode {
  return (
    <ul className={classes.lines}>
      {lines.map((line, index) => (
        <li key={`${index} ${line}`} className="mono">
          {line}
        </li>
      ))}
    </ul>
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

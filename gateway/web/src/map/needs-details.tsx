import { Anchor, Title } from "@mantine/core";
import type { Dependency } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { dependencyPath } from "../paths.js";
import type { Model } from "./model.js";
import type { PanelProps } from "./panel-props.js";
import { MARK_WORDS } from "./summary.js";
import { useNeeds } from "./use-needs.js";
import classes from "./map.module.css";

const MOST = 50;

/** What the selected host or service uses, and by what it is used. */
export function NeedsDetails({ model, node, at, to, diff, onSelect }: PanelProps): ReactNode {
  const { dependencies, since } = useNeeds(node, at ?? to, diff);
  if (dependencies.length === 0) return null;
  const isOwn = ({ host_id, service_id }: Dependency["client"] | Dependency["server"]): boolean =>
    node.kind === "service" ? service_id === node.id : host_id === node.id;
  const added = new Set(since.added.map(({ id }) => id));
  const markOf = (id: string): string =>
    added.has(id) ? MARK_WORDS.new : since.removed.has(id) ? MARK_WORDS.gone : "";
  const list = (title: string, own: "client" | "server", other: "client" | "server"): ReactNode => {
    const all = dependencies.filter((one) => isOwn(one[own]));
    if (all.length === 0) return null;
    return (
      <>
        <Title order={3}>
          {title} ({all.length.toLocaleString("en")})
        </Title>
        <ul className={classes.rows}>
          {all.slice(0, MOST).map((one) => (
            <li key={one.id}>
              <EndButton model={model} end={one[other]} onSelect={onSelect} />
              <span>
                {markOf(one.id)}{" "}
                <Anchor component={Link} to={dependencyPath(one.id)} size="sm">
                  since when
                </Anchor>
              </span>
            </li>
          ))}
        </ul>
        {all.length > MOST && <p className={classes.minor}>And {(all.length - MOST).toLocaleString("en")} more.</p>}
      </>
    );
  };
  return (
    <>
      {list("Uses", "client", "server")}
      {list("Used by", "server", "client")}
    </>
  );
}

interface EndButtonProps {
  readonly model: Model;
  readonly end: Dependency["client"] | Dependency["server"];
  readonly onSelect: (id: string) => void;
}

/** A service, process or host at the other end, which can be selected if it is on the map. */
function EndButton({ model, end, onSelect }: EndButtonProps): ReactNode {
  const host = model.nodes.get(end.host_id)?.label ?? "a host";
  const service = end.service_id === null ? undefined : model.nodes.get(end.service_id)?.label;
  const process = "process" in end ? end.process : null;
  const text = service ?? process;
  return (
    <button
      type="button"
      onClick={() => onSelect(service === undefined ? end.host_id : (end.service_id ?? end.host_id))}
    >
      {text === null ? host : `${text} on ${host}`}
    </button>
  );
}

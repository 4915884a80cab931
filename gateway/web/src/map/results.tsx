import type { TopologyNode } from "@nts/shared/contract";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { colourIn, type Scheme } from "./colours.js";
import type { Mark } from "./past.js";
import { detailBeside } from "../parts/detail.js";
import { portsText } from "../sockets/sockets.js";
import { boundTo, hostIdOf, type Model, vlanOf } from "./model.js";
import { placesInTree } from "./tree.js";
import { MARK_WORDS } from "./summary.js";
import classes from "./map.module.css";

/** Longer lists are not useful. */
const MOST = 200;

interface ResultsProps {
  readonly model: Model;
  /** Sorted. */
  readonly nodes: readonly TopologyNode[];
  readonly scheme: Scheme;
  readonly marks: ReadonlyMap<string, Mark> | null;
  readonly selected: string | null;
  readonly onSelect: (id: string) => void;
}

const NOWHERE: ReadonlyMap<string, string> = new Map();

/** The accessible list of nodes: arrow keys move, Enter opens. */
export function Results({ model, nodes, scheme, marks, selected, onSelect }: ResultsProps): ReactNode {
  const listed = nodes.slice(0, MOST);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const places = useMemo(() => (model.links.length === 0 ? NOWHERE : placesInTree(model)), [model]);
  const current = Math.min(active, Math.max(0, listed.length - 1));

  useEffect(() => {
    // Prevents the page from scrolling to a list below the map.
    if (list.current !== document.activeElement) return;
    list.current?.children[current]?.scrollIntoView({ block: "nearest" });
  }, [current]);

  function onKeyDown(event: KeyboardEvent): void {
    const to = placeAfter(event.key, current, listed.length);
    const node = listed[current];
    if (to !== undefined) setActive(Math.max(0, Math.min(listed.length - 1, to)));
    else if ((event.key === "Enter" || event.key === " ") && node !== undefined) onSelect(node.id);
    else return;
    event.preventDefault();
  }

  if (nodes.length === 0) return <p className={classes.nothing}>No results.</p>;
  return (
    <>
      <ul
        ref={list}
        className={classes.results}
        role="listbox"
        aria-label="Topology contents"
        tabIndex={0}
        aria-activedescendant={`${id}-${current}`}
        onKeyDown={onKeyDown}
      >
        {listed.map((node, index) => (
          <li
            key={node.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={node.id === selected}
            data-active={index === current || undefined}
            onClick={() => {
              setActive(index);
              onSelect(node.id);
            }}
          >
            <Sign kind={node.kind} colour={colourIn(model, node, scheme)} />
            <span className={classes.resultName}>{node.label}</span>
            <span className={classes.resultDetail}>
              {markText(marks?.get(node.id)) ?? places.get(node.id) ?? detailOf(model, node)}
            </span>
          </li>
        ))}
      </ul>
      {nodes.length > MOST && (
        <p className={classes.nothing}>
          And {(nodes.length - MOST).toLocaleString("en")} more; refine the search or the filters.
        </p>
      )}
    </>
  );
}

/** Subnets are square like their boxes, services small. */
function Sign({ kind, colour }: { readonly kind: TopologyNode["kind"]; readonly colour: string }): ReactNode {
  return (
    <svg width="12" height="12" aria-hidden>
      {kind === "subnet" ? (
        <rect x="1" y="1" width="10" height="10" rx="2" fill="none" stroke={colour} strokeWidth="2" />
      ) : (
        <circle cx="6" cy="6" r={kind === "service" ? 3.5 : 5.5} fill={colour} />
      )}
    </svg>
  );
}

/** The target index of a key; undefined for other keys. */
function placeAfter(key: string, current: number, count: number): number | undefined {
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    Home: 0,
    End: count - 1,
    PageDown: current + 10,
    PageUp: current - 10,
  };
  return moves[key];
}

function markText(mark: Mark | undefined): string | undefined {
  return mark === undefined ? undefined : MARK_WORDS[mark];
}

function detailOf(model: Model, node: TopologyNode): string {
  const { hosts, nodes } = model;
  switch (node.kind) {
    case "subnet":
      return detailBeside(node.label, node.cidr) || vlanOf(node);
    case "host":
      return detailBeside(node.label, hosts.get(node.id)?.interfaces[0]?.ip_address ?? node.hostname);
    case "service":
      return `${nodes.get(hostIdOf(node) ?? "")?.label ?? ""} ${portsText(boundTo(model, node.id))}`.trim();
  }
}

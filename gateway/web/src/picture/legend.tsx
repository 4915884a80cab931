import { Anchor } from "@mantine/core";
import type { TopologyNode } from "@nts/shared/contract";
import { type ReactNode, useMemo } from "react";
import { Link } from "react-router";
import { PATHS } from "../paths.js";
import { type Colouring, FAMILIES, MARKS, NOT_SEEN, PALETTES } from "./colours.js";
import { missedSince } from "./model.js";
import classes from "./picture.module.css";

interface LegendProps {
  readonly nodes: readonly TopologyNode[];
  readonly colouring: Colouring;
  readonly isOpen: boolean;
}

/** Explains dots and lines that occur. Has the same height for past and present. */
export function Legend({ nodes, colouring, isOpen }: LegendProps): ReactNode {
  return (
    <details className={classes.legend} open={isOpen}>
      <summary>Legend</summary>
      <div className={classes.entries}>
        <Entries nodes={nodes} colouring={{ ...colouring, marks: null }} />
        {colouring.marks !== null && <Entries nodes={nodes} colouring={colouring} />}
      </div>
    </details>
  );
}

function Entries({ nodes, colouring: { scheme, marks } }: Omit<LegendProps, "isOpen">): ReactNode {
  const palette = PALETTES[scheme];
  const families = useMemo(() => familiesOf(nodes), [nodes]);
  return (
    <ul>
      {marks === null && (
        <>
          <Entry colour={palette.subnet} size={6}>
            Subnet
          </Entry>
          <Entry colour={palette.host} size={5.5}>
            Host
          </Entry>
        </>
      )}
      {(marks === null ? families : Object.values(MARKS)).map((one) => (
        <Entry key={one.name} colour={one[scheme]} size={marks === null ? 3.5 : 5.5}>
          {one.name}
        </Entry>
      ))}
      {marks === null && nodes.some((node) => missedSince(node) !== null) && (
        <Entry colour={palette.missed} size={5.5}>
          <Anchor component={Link} to={PATHS.gone} inherit>
            {NOT_SEEN}
          </Anchor>
        </Entry>
      )}
      <Line colour={palette.crossing}>In several subnets</Line>
      <Line colour={palette.virtualization}>Runs on</Line>
    </ul>
  );
}

function familiesOf(nodes: readonly TopologyNode[]): typeof FAMILIES {
  const categories = new Set(nodes.map((node) => (node.kind === "service" ? node.category : null)));
  return FAMILIES.filter((family) => family.categories.some((one) => categories.has(one)));
}

function Entry({
  colour,
  size,
  children,
}: {
  readonly colour: string;
  readonly size: number;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <li>
      <svg width="14" height="14" aria-hidden>
        <circle cx="7" cy="7" r={size} fill={colour} />
      </svg>
      {children}
    </li>
  );
}

function Line({ colour, children }: { readonly colour: string; readonly children: string }): ReactNode {
  return (
    <li>
      <svg width="14" height="14" aria-hidden>
        <path d="M0 7H14" stroke={colour} strokeWidth="2" />
      </svg>
      {children}
    </li>
  );
}

import { type ReactNode, useMemo } from "react";
import { type LegendEntry, legendOf } from "./legend-entries.js";
import type { Look } from "./look.js";
import classes from "./map.module.css";

/** Explains the colours that occur. */
export function Legend({ look, isOpen }: { readonly look: Look; readonly isOpen: boolean }): ReactNode {
  const entries = useMemo(() => legendOf(look), [look]);
  return (
    <details className={classes.legend} open={isOpen}>
      <summary>Legend</summary>
      <ul>
        {entries.map((entry) => (
          <li key={entry.name}>
            <Sample {...entry} />
            {entry.name}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Sample({ colour, kind, dashes }: LegendEntry): ReactNode {
  return (
    <svg width="14" height="14" aria-hidden>
      {kind === "line" ? (
        <path d="M0 7H14" stroke={colour} strokeWidth="2" strokeDasharray={dashes?.join(" ")} />
      ) : (
        <rect
          x="2"
          y="2"
          width="10"
          height="10"
          rx="3"
          strokeDasharray={dashes?.join(" ")}
          {...(kind === "fill" ? { fill: colour } : { fill: "none", stroke: colour, strokeWidth: 2 })}
        />
      )}
    </svg>
  );
}

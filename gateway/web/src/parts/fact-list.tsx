import type { ReactNode } from "react";
import classes from "./fact-list.module.css";

/** Names and values; absent values are omitted. */
export function FactList({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }): ReactNode {
  return (
    <dl className={classes.facts}>
      {facts.map(([label, value]) =>
        value === null || value === undefined || value === false ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

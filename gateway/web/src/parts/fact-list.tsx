import type { ReactNode } from "react";
import classes from "./fact-list.module.css";

/** What is known of one thing; facts without a value are left out. */
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

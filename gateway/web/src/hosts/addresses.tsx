import type { Interface } from "@nts/shared/contract";
import type { ReactNode } from "react";
import classes from "./hosts.module.css";

const SHOWN = 3;

/** The first addresses of a host, and the number of others. */
export function Addresses({ interfaces }: { readonly interfaces: readonly Interface[] }): ReactNode {
  if (interfaces.length === 0) return null;
  return (
    <span className={classes.addresses}>
      {interfaces.slice(0, SHOWN).map(({ id, ip_address }) => (
        <span key={id} className="mono">
          {ip_address}
        </span>
      ))}
      {interfaces.length > SHOWN && <span className={classes.more}>and {interfaces.length - SHOWN} more</span>}
    </span>
  );
}

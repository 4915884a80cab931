import type { Interface } from "@nts/shared/contract";
import type { ReactNode } from "react";
import classes from "./hosts.module.css";

const SHOWN = 2;

/** The first addresses of a host in a line, and the number of others. */
export function Addresses({ interfaces }: { readonly interfaces: readonly Interface[] }): ReactNode {
  if (interfaces.length === 0) return null;
  const more = interfaces.length - SHOWN;
  return (
    <span className={classes.addresses} title={interfaces.map(({ ip_address }) => ip_address).join("\n")}>
      {interfaces.slice(0, SHOWN).map(({ id, ip_address }) => (
        <span key={id} className="mono">
          {ip_address}
        </span>
      ))}
      {more > 0 && <span className={classes.more}>and {more} more</span>}
    </span>
  );
}

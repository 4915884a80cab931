import type { Virtualization } from "@nts/shared/contract";
import type { ReactNode } from "react";
import classes from "./hosts.module.css";

/** How something is virtualized: the type, and each detail in a line of its own. */
export function VirtualizationText({ type, details }: Virtualization): ReactNode {
  return (
    <>
      {type}
      {Object.entries(details).map(([name, value]) => (
        <span key={name} className={`${classes.detail ?? ""} mono`}>
          {name}: {typeof value === "string" ? value : JSON.stringify(value)}
        </span>
      ))}
    </>
  );
}

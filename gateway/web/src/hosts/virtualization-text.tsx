import type { Virtualization } from "@nts/shared/contract";
import type { ReactNode } from "react";
import classes from "./hosts.module.css";

/** Type and details of `virtualization`, one detail per line. */
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

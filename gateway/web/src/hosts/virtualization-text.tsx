import { Anchor } from "@mantine/core";
import { getHost, type Virtualization } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useOne } from "../api/queries.js";
import { virtualizationTypeText } from "../parts/texts.js";
import { hostPath } from "../paths.js";
import classes from "./hosts.module.css";

/** Type and details of `virtualization`, one detail per line. */
export function VirtualizationText({ type, details }: Virtualization): ReactNode {
  return (
    <>
      {virtualizationTypeText(type)}
      {Object.entries(details).map(([name, value]) =>
        name === "host_id" && typeof value === "string" ? (
          <span key={name} className={classes.detail}>
            Runs on <HostLink id={value} />
          </span>
        ) : (
          <span key={name} className={`${classes.detail ?? ""} mono`}>
            {name}: {typeof value === "string" ? value : JSON.stringify(value)}
          </span>
        ),
      )}
    </>
  );
}

/** The name of a host; its id if it cannot be read. */
function HostLink({ id }: { readonly id: string }): ReactNode {
  const { data, error } = useOne(getHost, { params: { id } });
  if (error !== null) return <span className="mono">{id}</span>;
  return (
    <Anchor component={Link} to={hostPath(id)} inherit>
      {data?.data.name ?? "…"}
    </Anchor>
  );
}

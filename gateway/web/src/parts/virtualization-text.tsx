import { Anchor } from "@mantine/core";
import { getHost, getService, type Virtualization } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useOne } from "../api/queries.js";
import { virtualizationTypeText } from "./texts.js";
import { hostPath, servicePath } from "../paths.js";
import classes from "./virtualization-text.module.css";

/** Type and details of `virtualization`, one detail per line. */
export function VirtualizationText({ type, details }: Virtualization): ReactNode {
  return (
    <>
      {virtualizationTypeText(type)}
      {Object.entries(details).map(([name, value]) => (
        <Detail key={name} name={name} value={value} />
      ))}
    </>
  );
}

function Detail({ name, value }: { readonly name: string; readonly value: unknown }): ReactNode {
  const isRunner = (name === "host_id" || name === "service_id") && typeof value === "string";
  if (isRunner)
    return (
      <span className={classes.detail}>
        Runs on {name === "host_id" ? <HostLink id={value} /> : <ServiceLink id={value} />}
      </span>
    );
  return (
    <span className={`${classes.detail ?? ""} mono`}>
      {name}: {typeof value === "string" ? value : JSON.stringify(value)}
    </span>
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

/** The name of a service; its id if it cannot be read. */
function ServiceLink({ id }: { readonly id: string }): ReactNode {
  const { data, error } = useOne(getService, { params: { id } });
  if (error !== null) return <span className="mono">{id}</span>;
  if (data === undefined) return "…";
  const { name } = data.data;
  return (
    <Anchor component={Link} to={servicePath(id)} inherit>
      {name}
    </Anchor>
  );
}

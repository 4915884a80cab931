import type { Change } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { changeActionText, entityName } from "../parts/texts.js";
import { useNetworkScope } from "../scope/networks.js";
import classes from "./activity.module.css";
import { Comparison } from "./comparison.js";
import { EntityLink } from "./entity-link.js";
import { fieldsText } from "./entries.js";
import { ExpandableLine } from "./expandable-line.js";

interface EntryViewProps {
  readonly entry: Change;
  /** At the end of the line. */
  readonly aside?: ReactNode;
}

/** An entry; expands to the entity before and after. */
export function EntryView({ entry, aside }: EntryViewProps): ReactNode {
  const { action, entity, network_id: networkId } = entry;
  const { nameOf, networks } = useNetworkScope();
  const line = (
    <>
      <span className={classes.action} data-action={action}>
        {changeActionText(action)}
      </span>{" "}
      <span className={classes.what}>
        <span className={classes.kind}>{entity}</span> <strong>{entityName(entry)}</strong>
        {action === "updated" && <span className={classes.fields}> {fieldsText(entry)}</span>}
      </span>
      {networks.length > 1 && networkId !== null && entity !== "Network" && (
        <span className={classes.network}>{nameOf(networkId)}</span>
      )}
    </>
  );
  const details = (): ReactNode => (
    <div className={classes.details}>
      <Comparison entry={entry} />
      {action !== "deleted" && <EntityLink entry={entry} />}
    </div>
  );
  return <ExpandableLine line={line} aside={aside} details={details} />;
}

import { UnstyledButton } from "@mantine/core";
import type { Change } from "@nts/shared/contract";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { changeActionText, entityName } from "../parts/texts.js";
import { useNetworkScope } from "../scope/networks.js";
import classes from "./activity.module.css";
import { Comparison } from "./comparison.js";
import { EntityLink } from "./entity-link.js";
import { fieldsText } from "./entries.js";

interface EntryViewProps {
  readonly entry: Change;
  /** At the end of the line. */
  readonly aside?: ReactNode;
}

/** An entry; expands to the entity before and after. */
export function EntryView({ entry, aside }: EntryViewProps): ReactNode {
  const { action, entity, network_id: networkId } = entry;
  const { nameOf, networks } = useNetworkScope();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <div className={classes.line}>
        <UnstyledButton
          className={classes.entry}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight size={16} aria-hidden className={classes.chevron} />
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
        </UnstyledButton>
        {aside}
      </div>
      {isOpen && (
        <div id={id} className={classes.details}>
          <Comparison entry={entry} />
          {action !== "deleted" && <EntityLink entry={entry} />}
        </div>
      )}
    </>
  );
}

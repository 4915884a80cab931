import { Badge, UnstyledButton } from "@mantine/core";
import type { Change } from "@nts/shared/contract";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { entityName } from "../parts/texts.js";
import { useNetworkScope } from "../shell/networks.js";
import classes from "./activity.module.css";
import { Comparison } from "./comparison.js";
import { EntityLink } from "./entity-link.js";
import { fieldsText } from "./entries.js";

const COLORS = { created: "teal", updated: "cyan", deleted: "red" } as const;

/** An entry; expands to the entity before and after. */
export function EntryView({ entry }: { readonly entry: Change }): ReactNode {
  const { action, entity, network_id: networkId } = entry;
  const { nameOf, networks } = useNetworkScope();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <UnstyledButton
        className={classes.entry}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight size={16} aria-hidden className={classes.chevron} />
        <Badge size="sm" variant="light" color={COLORS[action]} className={classes.action ?? ""}>
          {action}
        </Badge>
        <span className={classes.what}>
          <span className={classes.kind}>{entity}</span> <strong>{entityName(entry)}</strong>
          {action === "updated" && <span className={classes.fields}> {fieldsText(entry)}</span>}
        </span>
        {networks.length > 1 && networkId !== null && entity !== "Network" && (
          <span className={classes.network}>{nameOf(networkId)}</span>
        )}
      </UnstyledButton>
      {isOpen && (
        <div id={id} className={classes.details}>
          <Comparison entry={entry} />
          {action !== "deleted" && <EntityLink entry={entry} />}
        </div>
      )}
    </>
  );
}

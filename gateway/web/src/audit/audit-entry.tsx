import { UnstyledButton } from "@mantine/core";
import type { AuditEntry } from "@nts/shared/contract";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import feed from "../activity/activity.module.css";
import { Comparison } from "../activity/comparison.js";
import classes from "./audit.module.css";
import { actionText, changedText, kindText, remarkOf } from "./entries.js";

/** What deserves a look. */
const ALARMING: ReadonlySet<AuditEntry["action"]> = new Set([
  "revoked",
  "login_failed",
  "second_factor_disabled",
  "second_factor_failed",
  "unlinked",
  "deleted",
]);

/** An entry; expands to the members before and after. */
export function AuditEntryView({ entry }: { readonly entry: AuditEntry }): ReactNode {
  const { before, after } = entry;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  if (before === null && after === null)
    return (
      <div className={classes.alone}>
        <What entry={entry} />
      </div>
    );
  return (
    <>
      <UnstyledButton
        className={feed.entry}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight size={16} aria-hidden className={feed.chevron} />
        <What entry={entry} />
      </UnstyledButton>
      {isOpen && (
        <div id={id} className={feed.details}>
          <Comparison entry={entry} />
        </div>
      )}
    </>
  );
}

function What({ entry }: { readonly entry: AuditEntry }): ReactNode {
  const { action, entity, name } = entry;
  const said = [changedText(entry), remarkOf(entry)].filter((text) => text !== "");
  return (
    <>
      <span className={classes.action} data-alarming={ALARMING.has(action) || undefined}>
        {actionText(action, entity)}
      </span>{" "}
      <span className={feed.what}>
        <span className={feed.kind}>{kindText(entity)}</span> <strong>{name}</strong>
        {said.length > 0 && <span className={feed.fields}> {said.join(", ")}</span>}
      </span>
    </>
  );
}

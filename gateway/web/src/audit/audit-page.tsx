import { AUDIT_ACTIONS, AUDITED_ENTITIES } from "@nts/shared/contract";
import { ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import { DayFilter, OneFilter, useAuthors } from "../activity/activity-filters.js";
import { NoResults } from "../activity/no-results.js";
import { useListState } from "../list/list-state.js";
import { Toolbar } from "../list/toolbar.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page, Panel } from "../parts/page.js";
import { AuditFeed } from "./audit-feed.js";
import { actionText, FILTERS, filterOf } from "./entries.js";
import { useAudit } from "./source.js";

/** The audit log of the organization. */
export default function AuditPage(): ReactNode {
  const state = useListState();
  const audit = useAudit(filterOf(state));
  const authors = useAuthors(audit.entries);
  return (
    <Page title="Audit" about="Sign-ins, and changes to users, invites, API keys, webhooks and the organization.">
      <Panel>
        <Toolbar state={state}>
          <OneFilter state={state} name="kind" label="Kind" data={AUDITED_ENTITIES} />
          <OneFilter
            state={state}
            name="action"
            label="Action"
            data={AUDIT_ACTIONS.map((value) => ({ value, label: actionText(value) }))}
          />
          <OneFilter state={state} name="who" label="User" data={authors} />
          <DayFilter state={state} name="since" label="From" />
          <DayFilter state={state} name="until" label="To" />
        </Toolbar>
        <AuditFeed
          audit={audit}
          empty={
            state.isFiltered ? (
              <NoResults state={state} filters={FILTERS} />
            ) : (
              <EmptyState icon={ShieldCheck} title="No entries">
                Sign-ins and changes to accounts, API keys and webhooks appear here.
              </EmptyState>
            )
          }
        />
      </Panel>
    </Page>
  );
}

import { History } from "lucide-react";
import type { ReactNode } from "react";
import { useListState } from "../list/list-state.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page, Panel } from "../parts/page.js";
import { useNetworkScope } from "../scope/networks.js";
import { ActivityFilters } from "./activity-filters.js";
import { Feed } from "./feed.js";
import { FILTERS, filterOf, valueOf } from "./filters.js";
import { NoResults } from "./no-results.js";
import { changesBy, useChanges } from "./sources.js";

/** The changes in the selected network, or in all networks. */
export default function ActivityPage(): ReactNode {
  const state = useListState();
  const { networkId } = useNetworkScope();
  const changes = useChanges(changesBy(filterOf(state, networkId)));
  return (
    <Page title="Activity" about="Every change to networks, subnets, hosts, services and tags: who, when and why.">
      <Panel>
        <ActivityFilters state={state} entries={changes.entries} />
        <Feed
          changes={changes}
          isOpen={valueOf(state, "request") !== null}
          empty={
            state.isFiltered ? (
              <NoResults state={state} filters={FILTERS} />
            ) : (
              <EmptyState icon={History} title="No changes">
                What is created, changed and deleted appears here.
              </EmptyState>
            )
          }
        />
      </Panel>
    </Page>
  );
}

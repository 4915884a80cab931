import { Network } from "lucide-react";
import type { ReactNode } from "react";
import { EmptyState } from "../parts/empty-state.js";
import { Page } from "../parts/page.js";

/** The picture of a network. */
export default function Picture(): ReactNode {
  return (
    <Page title="Topology">
      <EmptyState icon={Network} title="Nothing to see yet">
        The picture of the network will be here.
      </EmptyState>
    </Page>
  );
}

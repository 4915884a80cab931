import { Network } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useSearchParams } from "react-router";
import { NetworkField, useLikelyNetwork } from "../forms/network-field.js";
import { EmptyState } from "../parts/empty-state.js";
import { GuideLink } from "../parts/guide-link.js";
import { Page, Panel } from "../parts/page.js";
import { PATHS } from "../paths.js";
import { useHasLevel } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { RecentImports } from "./recent-imports.js";
import { RecentUndos } from "./recent-undos.js";
import { ScanImport } from "./scan-import.js";

/** The parameter of the address with the job that is shown. */
const JOB = "job";

export default function ImportPage(): ReactNode {
  const { networks, isLoaded, nameOf } = useNetworkScope();
  const may = useHasLevel("Member");
  const likely = useLikelyNetwork();
  const [chosen, setChosen] = useState("");
  const networkId = chosen === "" ? likely : chosen;
  const [search, setSearch] = useSearchParams();
  const jobId = search.get(JOB);
  const setJob = (id: string | null): void => {
    if (id !== jobId) setSearch(id === null ? {} : { [JOB]: id });
  };
  return (
    <Page
      narrow
      title="Import"
      about={
        <>
          Import scans (<code>nmap -oX scan.xml</code>) or the output of other tools. You see a preview before anything
          is changed. Nothing is deleted except addresses that have moved to another host.
        </>
      }
    >
      <Panel pad>
        {!may ? (
          <EmptyState icon={Network} title="Requires the Member role">
            Ask an Owner or Admin of your organization to change your role.
          </EmptyState>
        ) : isLoaded && networks.length === 0 ? (
          <EmptyState icon={Network} title="No network to import into" actions={<GuideLink />}>
            Name one first, then choose the file.
          </EmptyState>
        ) : (
          <>
            {jobId === null && <NetworkField label="Network" value={networkId} onChange={setChosen} />}
            <ScanImport key={networkId} networkId={networkId} jobId={jobId} onJob={setJob} />
          </>
        )}
      </Panel>
      {may && <RecentImports nameOf={nameOf} linkOf={(id) => `${PATHS.importScan}?${JOB}=${id}`} />}
      {may && <RecentUndos />}
    </Page>
  );
}

import { Button } from "@mantine/core";
import { getTopology } from "@nts/shared/contract";
import { FileUp, Server, Waypoints } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useOne } from "../api/queries.js";
import { EmptyState } from "../parts/empty-state.js";
import { FailureState } from "../parts/failure-state.js";
import { Page } from "../parts/page.js";
import { Waiting } from "../parts/waiting.js";
import { PATHS } from "../paths.js";
import { useMay } from "../session/session.js";
import { useNetworkScope } from "../shell/networks.js";
import { Overview } from "./overview.js";

/** The picture of the chosen network, or of all. */
export default function Picture(): ReactNode {
  const { networkId, nameOf } = useNetworkScope();
  const mayImport = useMay("Member");
  const { data, error, refetch } = useOne(getTopology, { query: networkId === null ? {} : { network_id: networkId } });
  const title = networkId === null ? "Topology" : nameOf(networkId);
  if (data === undefined)
    return (
      <Page title={title}>
        {error === null ? <Waiting /> : <FailureState error={error} onRetry={() => void refetch()} />}
      </Page>
    );
  const { nodes } = data.data;
  if (nodes.length === 0)
    return (
      <Page title={title}>
        <EmptyState
          icon={Waypoints}
          title="Nothing to show"
          actions={
            <>
              {mayImport && (
                <Button component={Link} to={PATHS.importScan} leftSection={<FileUp size={16} aria-hidden />}>
                  Import scan
                </Button>
              )}
              <Button
                component={Link}
                to={PATHS.hosts}
                variant="default"
                leftSection={<Server size={16} aria-hidden />}
              >
                Go to hosts
              </Button>
            </>
          }
        >
          The topology shows subnets, hosts and services. Import an nmap scan, or add hosts manually.
        </EmptyState>
      </Page>
    );
  return <Overview key={networkId} topology={data.data} title={title} networkId={networkId} />;
}

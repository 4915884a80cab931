import { Anchor, Button } from "@mantine/core";
import { deleteDependency, type Dependency, getDependency, getHost, HISTORIES, type Host } from "@nts/shared/contract";
import { Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { Feed } from "../activity/feed.js";
import { HistoryPart } from "../activity/history-part.js";
import { historyOf, joined, useChanges } from "../activity/sources.js";
import { describeFailure } from "../api/failure.js";
import { useOne } from "../api/queries.js";
import { useRemoval } from "../list/use-removal.js";
import { BackLink } from "../parts/back-link.js";
import { FactList } from "../parts/fact-list.js";
import { FailureState } from "../parts/failure-state.js";
import { Beside, Page, Panel } from "../parts/page.js";
import { Part, PartRemark } from "../parts/part.js";
import { Waiting } from "../parts/waiting.js";
import { When } from "../parts/when.js";
import { hostPath, PATHS, servicePath } from "../paths.js";
import { NetworkLink } from "../scope/network-link.js";
import { useHasLevel } from "../session/session.js";
import { endText } from "./ends.js";

/** Since when something uses something else, and what changed at both ends before that. */
export default function DependencyPage(): ReactNode {
  const { id = "" } = useParams();
  const { data, error, refetch } = useOne(getDependency, { params: { id } });
  if (data !== undefined) return <View dependency={data.data} />;
  if (error === null) return <Waiting />;
  return (
    <Page title="Dependency" about={<BackLink to={PATHS.services}>All services</BackLink>}>
      <FailureState error={error} onRetry={() => void refetch()} />
      {describeFailure(error).kind === "missing" && <HistoryPart operation={HISTORIES.Dependency} id={id} />}
    </Page>
  );
}

function View({ dependency }: { readonly dependency: Dependency }): ReactNode {
  const { id, client, server, note, source, created_at: since, network_id } = dependency;
  const hostOf = useHosts([client.host_id, server.host_id]);
  const from = endText(hostOf(client.host_id), client);
  const to = endText(hostOf(server.host_id), server);
  const may = useHasLevel("Member");
  const navigate = useNavigate();
  const { removeOne } = useRemoval({
    one: deleteDependency,
    noun: "dependency",
    consequence: "Hosts and services stay as they are.",
  });
  const back = server.service_id === null ? hostPath(server.host_id) : servicePath(server.service_id);
  const name = `${from} uses ${to}`;
  return (
    <Page
      title={name}
      about={<BackLink to={back}>{to}</BackLink>}
      actions={
        may && (
          <Button
            variant="default"
            color="red"
            leftSection={<Trash2 size={16} aria-hidden />}
            onClick={() => removeOne(id, name, () => void navigate(back))}
          >
            Delete
          </Button>
        )
      }
    >
      <Panel pad>
        <FactList
          facts={[
            ["Client", <EndLink key="client" end={client} text={from} />],
            ["Server", <EndLink key="server" end={server} text={to} />],
            ["Since", <When key="since" at={since} />],
            ["Found by", source === "Discovery" ? "an import, from a connection" : "hand"],
            ["Note", note],
            ["Network", <NetworkLink key="network" id={network_id} />],
          ]}
        />
      </Panel>
      <Beside aside={<HistoryPart operation={HISTORIES.Dependency} id={id} />}>
        <Before dependency={dependency} />
      </Beside>
    </Page>
  );
}

/** The changes of both hosts, and of what is on them, until the dependency came. */
function Before({ dependency: { client, server, created_at: until } }: { readonly dependency: Dependency }): ReactNode {
  const ids = [...new Set([client.host_id, server.host_id])];
  const changes = useChanges(joined(ids.map((id) => historyOf(HISTORIES.Host, id, until))));
  return (
    <Part title="What changed at both ends before it">
      <Feed changes={changes} empty={<PartRemark>Nothing is recorded.</PartRemark>} />
    </Part>
  );
}

function EndLink({ end, text }: { readonly end: Dependency["client"] | Dependency["server"]; readonly text: string }) {
  return (
    <Anchor
      component={Link}
      to={end.service_id === null ? hostPath(end.host_id) : servicePath(end.service_id)}
      size="sm"
    >
      {text}
    </Anchor>
  );
}

/** The hosts at both ends, which may be one. */
function useHosts([one, other]: readonly [string, string]): (id: string) => Host | undefined {
  const first = useOne(getHost, { params: { id: one } }).data?.data;
  const second = useOne(getHost, { params: { id: other } }).data?.data;
  return (id) => [first, second].find((host) => host?.id === id);
}

import { deleteHost, getHost, getHostAttachment, getHostImpact, HISTORIES, type Host } from "@nts/shared/contract";
import { Text } from "@mantine/core";
import { Merge, Split } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useParams } from "react-router";
import { HistoryPart } from "../activity/history-part.js";
import { useOne } from "../api/queries.js";
import { DependenciesPart } from "../dependencies/dependencies-part.js";
import { stopsText } from "../dependencies/ends.js";
import { ImpactPart } from "../dependencies/impact-part.js";
import { AttributeList } from "../forms/attribute-list.js";
import { EntityPage } from "../list/entity-page.js";
import { FactList } from "../parts/fact-list.js";
import { HangsOn } from "../links/hangs-on.js";
import { LinksPart } from "../links/links-part.js";
import { Panel } from "../parts/page.js";
import { RowMenu } from "../parts/row-menu.js";
import { RECOGNIZED_BY } from "../parts/recognized-by.js";
import { SeenText } from "../parts/seen.js";
import { When } from "../parts/when.js";
import { PATHS } from "../paths.js";
import { NetworkLink } from "../scope/network-link.js";
import { TagBadges } from "../tags/tag-badges.js";
import { useTags } from "../tags/tags.js";
import { EndpointsPart } from "./endpoints-part.js";
import { GuestsPart } from "./guests-part.js";
import { HostEditor } from "./host-editor.js";
import { MergeWindow } from "./merge-window.js";
import { InterfacesPart } from "./interfaces-part.js";
import { observedFacts, RoleFact } from "../observed/observed.js";
import { PresenceLine } from "./presence-line.js";
import { SplitWindow } from "./split-window.js";
import { Stranger } from "./strangers.js";
import { VirtualizationText } from "../parts/virtualization-text.js";

/** A host with its interfaces, ports and services. */
export default function HostPage(): ReactNode {
  const { id = "" } = useParams();
  const stops = useStops(id);
  return (
    <EntityPage
      read={useOne(getHost, { params: { id } })}
      noun="host"
      list={PATHS.hosts}
      remove={deleteHost}
      consequence={`Its interfaces, ports, services, links and dependencies are deleted as well. ${stops}`.trim()}
      editor={(hostId, close) => <HostEditor id={hostId} onClose={close} />}
      actions={(host) => <MergeAndSplit host={host} />}
      history={<HistoryPart operation={HISTORIES.Host} id={id} />}
    >
      {(host, mayWrite) => (
        <>
          <Panel pad>
            <Facts host={host} />
          </Panel>
          <EndpointsPart host={host} mayWrite={mayWrite} />
          <InterfacesPart host={host} mayWrite={mayWrite} />
          <LinksPart host={host} mayWrite={mayWrite} />
          <GuestsPart host={host} />
          <DependenciesPart host={host} serviceId={null} mayWrite={mayWrite} />
          <ImpactPart of={{ kind: "host", id: host.id }} />
        </>
      )}
    </EntityPage>
  );
}

/** What stops with a host, besides what is on it. */
function useStops(id: string): string {
  const impact = useOne(getHostImpact, { params: { id }, query: { limit: 1_000 } }).data?.data;
  if (impact === undefined) return "";
  const { hosts, services, processes } = impact.counts;
  const own = impact.reached.filter(({ host_id, via }) => via === "runs_on" && host_id === id).length;
  const others = impact.reached.filter(({ host_id }) => host_id !== id);
  return stopsText(
    others.map(({ name }) => name),
    hosts + services + processes - own,
  );
}

/** A menu of what people know, and evidence does not tell. */
function MergeAndSplit({ host }: { readonly host: Host }): ReactNode {
  const [open, setOpen] = useState<"merge" | "split" | null>(null);
  const close = (): void => setOpen(null);
  return (
    <>
      <RowMenu
        name={host.name}
        actions={[
          { label: "Merge with…", icon: Merge, run: () => setOpen("merge") },
          { label: "Split…", icon: Split, run: () => setOpen("split"), isDisabled: host.interfaces.length < 2 },
        ]}
      />
      {open === "merge" && <MergeWindow host={host} onClose={close} />}
      {open === "split" && <SplitWindow host={host} onClose={close} />}
    </>
  );
}

/** Which source saw it last, and by what it was taken for this host. */
function Recognition({ seen = null }: Pick<Host, "seen">): ReactNode {
  if (seen === null) return null;
  const { by, recognized_by: how } = seen;
  return (
    <Text size="xs" c="dimmed">
      {`By ${by}`}
      {how !== undefined &&
        `, which recognized it by ${how === "request" ? "name, as the request said" : `its ${RECOGNIZED_BY[how]}`}`}
    </Text>
  );
}

function Facts({ host }: { readonly host: Host }): ReactNode {
  const tags = useTags();
  const attachments = useOne(getHostAttachment, { params: { id: host.id }, query: {} }).data?.data.attachments ?? [];
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Network", <NetworkLink key="network" id={host.network_id} />],
    ["Hostname", host.hostname !== null && <span className="mono">{host.hostname}</span>],
    ["Description", host.description],
    ["Role", (host.role ?? host.observed?.role ?? null) !== null && <RoleFact {...host} />],
    ...observedFacts(host.observed),
    ["Virtualization", host.virtualization !== null && <VirtualizationText {...host.virtualization} />],
    ["Hangs on", attachments.length > 0 && <HangsOn attachments={attachments} />],
    ["Tags", host.tags.length > 0 && <TagBadges tags={host.tags} known={tags} />],
    ["Attributes", Object.keys(host.attributes).length > 0 && <AttributeList attributes={host.attributes} />],
    ["Known", !host.is_known && <Stranger key="known" host={host} />],
    ["Topology", host.hidden && "Hidden"],
    ["Source", host.source.type],
    [
      "Seen",
      <div key="seen">
        <SeenText {...host} />
        <Recognition {...host} />
        {(host.seen ?? null) !== null && <PresenceLine host={host} />}
      </div>,
    ],
    ["Changed", <When key="changed" at={host.updated_at} />],
  ];
  return <FactList facts={facts} />;
}

import { Anchor, Button } from "@mantine/core";
import { deleteHost, getHost, type Host } from "@nts/shared/contract";
import { ArrowLeft, Pencil, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { useOne } from "../api/queries.js";
import { useRemoval } from "../list/use-removal.js";
import { FactList } from "../parts/fact-list.js";
import { FailureState } from "../parts/failure-state.js";
import { Page, Panel } from "../parts/page.js";
import { Waiting } from "../parts/waiting.js";
import { When } from "../parts/when.js";
import { PATHS } from "../paths.js";
import { useMay } from "../session/session.js";
import { useNetworkScope } from "../shell/networks.js";
import { VirtualizationText } from "./virtualization-text.js";
import { TagBadges } from "../tags/tag-badges.js";
import { useTags } from "../tags/tags.js";
import { HostEditor } from "./host-editor.js";
import { InterfacesPart } from "./interfaces-part.js";
import { PortsPart } from "./ports-part.js";
import { ServicesPart } from "./services-part.js";

/** One host with everything on it. */
export default function HostPage(): ReactNode {
  const { id = "" } = useParams();
  const { data, error, refetch } = useOne(getHost, { params: { id } });
  if (data === undefined)
    return error === null ? (
      <Waiting />
    ) : (
      <Page title="Host">
        <FailureState error={error} onRetry={() => void refetch()} />
      </Page>
    );
  return <HostView host={data.data} />;
}

function HostView({ host }: { readonly host: Host }): ReactNode {
  const may = useMay("Member");
  const navigate = useNavigate();
  const [isEdited, setEdited] = useState(false);
  const { removeOne } = useRemoval({
    one: deleteHost,
    noun: "host",
    consequence: "Its interfaces, ports and services are deleted as well. This cannot be undone.",
  });
  return (
    <Page
      title={host.name}
      about={
        <Anchor component={Link} to={PATHS.hosts} size="sm" c="dimmed">
          <ArrowLeft size={14} aria-hidden /> All hosts
        </Anchor>
      }
      actions={
        may && (
          <>
            <Button
              variant="default"
              color="red"
              leftSection={<Trash2 size={16} aria-hidden />}
              onClick={() => removeOne(host.id, host.name, () => void navigate(PATHS.hosts))}
            >
              Delete
            </Button>
            <Button leftSection={<Pencil size={16} aria-hidden />} onClick={() => setEdited(true)}>
              Edit
            </Button>
          </>
        )
      }
    >
      <Panel pad>
        <Facts host={host} />
      </Panel>
      <InterfacesPart host={host} mayWrite={may} />
      <PortsPart host={host} mayWrite={may} />
      <ServicesPart host={host} mayWrite={may} />
      {isEdited && <HostEditor id={host.id} onClose={() => setEdited(false)} />}
    </Page>
  );
}

function Facts({ host }: { readonly host: Host }): ReactNode {
  const tags = useTags();
  const { nameOf } = useNetworkScope();
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Network", nameOf(host.network_id)],
    ["Hostname", host.hostname !== null && <span className="mono">{host.hostname}</span>],
    ["Description", host.description],
    ["Virtualization", host.virtualization !== null && <VirtualizationText {...host.virtualization} />],
    ["Tags", host.tags.length > 0 && <TagBadges tags={host.tags} known={tags} />],
    ["Topology", host.hidden && "Hidden"],
    ["Source", host.source.type],
    ["Changed", <When key="changed" at={host.updated_at} />],
  ];
  return <FactList facts={facts} />;
}

import { Anchor, Badge, Button } from "@mantine/core";
import {
  type Collector,
  type CollectorJob,
  type CollectorSense,
  getCollector,
  listCollectorJobs,
} from "@nts/shared/contract";
import { History, Pencil, Radar, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { useUndo } from "../activity/use-undo.js";
import { useOne, useRows } from "../api/queries.js";
import { type Column, DataTable } from "../list/data-table.js";
import { BackLink } from "../parts/back-link.js";
import { FactList } from "../parts/fact-list.js";
import { FailureState } from "../parts/failure-state.js";
import { Page, Panel } from "../parts/page.js";
import { ListPart } from "../parts/part.js";
import { RowMenu } from "../parts/row-menu.js";
import { Waiting } from "../parts/waiting.js";
import { When } from "../parts/when.js";
import { activityPath, importPath, PATHS } from "../paths.js";
import { NetworkLink } from "../scope/network-link.js";
import { CollectorState, JobState } from "./collector-badges.js";
import { outcomeText, scheduleText, targetsText } from "./texts.js";
import { useCollectorActions } from "./use-collector-actions.js";

/** Polling interval in milliseconds of the page. */
const PACE_MS = 3_000;
const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const SHOWN_JOBS = 50;

/** A collector with its state, senses, settings and jobs. */
export default function CollectorPage(): ReactNode {
  const { id = "" } = useParams();
  const { data, error, refetch } = useOne(getCollector, { params: { id } }, { everyMs: PACE_MS });
  if (data !== undefined && error === null) return <CollectorView collector={data.data} />;
  if (error === null) return <Waiting />;
  return (
    <Page title="Collector" about={<BackLink to={PATHS.collectors}>All collectors</BackLink>}>
      <FailureState error={error} onRetry={() => void refetch()} />
    </Page>
  );
}

function CollectorView({ collector }: { readonly collector: Collector }): ReactNode {
  const navigate = useNavigate();
  const { openEditor, scan, isScanning, actionsFor, windows } = useCollectorActions(
    () => void navigate(PATHS.collectors),
  );
  return (
    <Page
      title={collector.name}
      about={<BackLink to={PATHS.collectors}>All collectors</BackLink>}
      actions={
        <>
          <Button
            leftSection={<Radar size={16} aria-hidden />}
            loading={isScanning}
            disabled={collector.state === "pending" || !collector.is_enabled}
            onClick={() => scan(collector)}
          >
            Scan now
          </Button>
          <Button
            variant="default"
            leftSection={<Pencil size={16} aria-hidden />}
            onClick={() => openEditor(collector.id)}
          >
            Edit
          </Button>
          <RowMenu
            name={collector.name}
            actions={actionsFor(collector).filter(({ label }) => label !== "Edit" && label !== "Scan now")}
          />
        </>
      }
    >
      <Panel pad>
        <Facts collector={collector} />
      </Panel>
      {collector.senses.length > 0 && <Senses senses={collector.senses} />}
      <Jobs id={collector.id} />
      {windows}
    </Page>
  );
}

function Facts({ collector }: { readonly collector: Collector }): ReactNode {
  const { network_id, hostname, version, last_seen_at, token_expires_at, schedule, window, targets } = collector;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["State", <CollectorState key="state" collector={collector} />],
    ["Machine", hostname],
    ["Network", <NetworkLink key="network" id={network_id} />],
    ["Last heard", <When key="seen" at={last_seen_at} />],
    ["Command works until", token_expires_at !== null && <When key="token" at={token_expires_at} />],
    ["Looks around", scheduleText(schedule, OWN_ZONE)],
    ["Next", collector.next_run_at !== null && <When key="next" at={collector.next_run_at} />],
    ["Between", window !== null && `${window.from} and ${window.to}, ${window.time_zone}`],
    ["Where", targetsText(targets)],
    ["At most", `${collector.packets_per_second} packets a second`],
    ["Program", version],
    ["Created", <When key="created" at={collector.created_at} />],
  ];
  return <FactList facts={facts} />;
}

const SENSE_COLORS = { ready: "teal", unavailable: "yellow", off: "gray" } as const;
const SENSE_TEXTS = { ready: "Works", unavailable: "Does not work", off: "Switched off" } as const;

const SENSE_COLUMNS: readonly Column<CollectorSense>[] = [
  { id: "name", label: "Sense", cell: ({ name }) => name },
  {
    id: "state",
    label: "State",
    narrow: true,
    cell: ({ state }) => (
      <Badge variant="light" color={SENSE_COLORS[state]} tt="none">
        {SENSE_TEXTS[state]}
      </Badge>
    ),
  },
  { id: "reason", label: "Reason", cell: ({ reason }) => reason },
];

/** In which ways it can look around, and why not. */
function Senses({ senses }: { readonly senses: readonly CollectorSense[] }): ReactNode {
  return (
    <ListPart title="Senses" count={senses.length} none="">
      <DataTable label="Senses" columns={SENSE_COLUMNS} rows={[...senses]} idOf={nameOf} nameOf={nameOf} />
    </ListPart>
  );
}

function nameOf({ name }: CollectorSense): string {
  return name;
}

const JOB_COLUMNS: readonly Column<CollectorJob>[] = [
  { id: "at", label: "Time", numbers: true, cell: ({ created_at }) => <When at={created_at} /> },
  { id: "state", label: "State", narrow: true, cell: (job) => <JobState job={job} /> },
  { id: "outcome", label: "Result", cell: outcomeText },
  {
    id: "trigger",
    label: "Started by",
    cell: ({ trigger, requested_by }) => (trigger === "schedule" ? "Schedule" : (requested_by?.email ?? "Request")),
  },
  {
    id: "import",
    label: "Details",
    narrow: true,
    cell: ({ import_id }) =>
      import_id !== null && (
        <Anchor component={Link} to={importPath(import_id)} size="sm">
          Import
        </Anchor>
      ),
  },
];

function hostsIn(summary: CollectorJob["summary"]): number {
  return summary === null ? 0 : summary.hosts.create + summary.hosts.update;
}

function Jobs({ id }: { readonly id: string }): ReactNode {
  const navigate = useNavigate();
  const undo = useUndo();
  const query = { collector_id: id, order_direction: "desc", limit: SHOWN_JOBS } as const;
  const { data, error, refetch } = useRows(listCollectorJobs, { query }, { everyMs: PACE_MS });
  if (error !== null && data === undefined) return <FailureState error={error} onRetry={() => void refetch()} />;
  const jobs = data?.data ?? [];
  return (
    <ListPart
      title="Looks around"
      count={data?.pagination.total_count ?? 0}
      none="It has not looked around yet. What it does in the last seven days appears here."
    >
      <DataTable
        label="Jobs"
        columns={JOB_COLUMNS}
        rows={jobs}
        idOf={(job) => job.id}
        nameOf={(job) => `Job of ${job.created_at}`}
        actions={({ request_id, created_at, summary }) =>
          request_id !== null && (
            <RowMenu
              name={`Job of ${created_at}`}
              actions={[
                { label: "Changes", icon: History, run: () => void navigate(activityPath({ request_id })) },
                { label: "Undo", icon: Undo2, run: () => undo(request_id, hostsIn(summary)) },
              ]}
            />
          )
        }
      />
    </ListPart>
  );
}

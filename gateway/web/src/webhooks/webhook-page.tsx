import { Alert, Badge, Button } from "@mantine/core";
import { getWebhook, listWebhookDeliveries, type Webhook, type WebhookDelivery } from "@nts/shared/contract";
import { FlaskConical, Pencil } from "lucide-react";
import type { ReactNode } from "react";
import { useNavigate, useParams } from "react-router";
import { useOne } from "../api/queries.js";
import { type Column, DataTable } from "../list/data-table.js";
import { FactList } from "../parts/fact-list.js";
import { FailureState } from "../parts/failure-state.js";
import { Page, Panel } from "../parts/page.js";
import { ListPart } from "../parts/part.js";
import { RowMenu } from "../parts/row-menu.js";
import { Waiting } from "../parts/waiting.js";
import { BackLink } from "../parts/back-link.js";
import { When } from "../parts/when.js";
import { PATHS } from "../paths.js";
import { useNetworkScope } from "../scope/networks.js";
import { TagBadges } from "../tags/tag-badges.js";
import { useTags } from "../tags/tags.js";
import { responseText, contentText, FORMATS } from "./texts.js";
import { webhookName } from "../parts/names.js";
import { useWebhookActions } from "./use-webhook-actions.js";
import { Status } from "./webhook-status.js";

/** Polling interval in milliseconds of the page. */
const PACE_MS = 5_000;

/** A webhook with filter, status and latest deliveries. */
export default function WebhookPage(): ReactNode {
  const { id = "" } = useParams();
  const { data, error, refetch } = useOne(getWebhook, { params: { id } }, { everyMs: PACE_MS });
  if (data !== undefined && error === null) return <WebhookView webhook={data.data} />;
  if (error === null) return <Waiting />;
  return (
    <Page title="Webhook" about={<BackLink to={PATHS.webhooks}>All webhooks</BackLink>}>
      <FailureState error={error} onRetry={() => void refetch()} />
    </Page>
  );
}

function WebhookView({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const navigate = useNavigate();
  const { openEditor, test, actionsFor, windows } = useWebhookActions(() => void navigate(PATHS.webhooks));
  const actions = actionsFor(webhook);
  const resume = webhook.paused === null ? undefined : actions.find(({ label }) => label === "Resume");
  return (
    <Page
      title={webhookName(webhook)}
      about={<BackLink to={PATHS.webhooks}>All webhooks</BackLink>}
      actions={
        <>
          <Button variant="default" leftSection={<FlaskConical size={16} aria-hidden />} onClick={() => test(webhook)}>
            Send test
          </Button>
          <Button leftSection={<Pencil size={16} aria-hidden />} onClick={() => openEditor(webhook.id)}>
            Edit
          </Button>
          <RowMenu
            name={webhookName(webhook)}
            actions={actions.filter(({ label }) => label !== "Edit" && label !== "Send test")}
          />
        </>
      }
    >
      {webhook.paused !== null && (
        <Alert role="status" color="red" mb="md" title="Paused: no messages are sent">
          {webhook.paused.reason} Since <When at={webhook.paused.at} />. Resuming continues where it stopped, as far as
          changes are retained.
          {resume !== undefined && (
            <Button mt="sm" size="xs" variant="default" display="block" onClick={resume.run}>
              Resume
            </Button>
          )}
        </Alert>
      )}
      <Panel pad>
        <Facts webhook={webhook} />
      </Panel>
      <Deliveries id={webhook.id} />
      {windows}
    </Page>
  );
}

function Facts({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const tags = useTags();
  const { nameOf: networkName } = useNetworkScope();
  const { network_ids, entities, actions, tag_ids } = webhook.filter;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["State", <Status key="state" webhook={webhook} />],
    [
      "URL",
      <span key="url" className="mono">
        {webhook.url}
      </span>,
    ],
    ["Format", FORMATS[webhook.format]],
    ["Networks", network_ids.length === 0 ? "All" : network_ids.map(networkName).join(", ")],
    ["Kinds", entities.length === 0 ? "All" : entities.join(", ")],
    ["Actions", actions.length === 0 ? "All" : actions.join(", ")],
    ["Tags", tag_ids.length > 0 && <TagBadges tags={tag_ids} known={tags} />],
    ["Batched for", webhook.batch_seconds > 0 && `${webhook.batch_seconds} seconds`],
    ["Created by", webhook.created_by.email ?? webhook.created_by.user_id],
    ["Created", <When key="created" at={webhook.created_at} />],
  ];
  return <FactList facts={facts} />;
}

const columns: readonly Column<WebhookDelivery>[] = [
  { id: "at", label: "Time", numbers: true, cell: ({ at }) => <When at={at} /> },
  {
    id: "outcome",
    label: "Result",
    narrow: true,
    cell: ({ outcome }) => (
      <Badge variant="light" color={outcome === "delivered" ? "teal" : "red"} tt="none">
        {outcome === "delivered" ? "Delivered" : "Failed"}
      </Badge>
    ),
  },
  { id: "content", label: "Content", cell: contentText },
  { id: "answer", label: "Response", cell: responseText },
  { id: "attempt", label: "Attempt", numbers: true, narrow: true, cell: ({ attempt }) => attempt },
  {
    id: "took",
    label: "Duration",
    numbers: true,
    narrow: true,
    cell: ({ duration_ms }) => `${duration_ms.toLocaleString("en")} ms`,
  },
];

function Deliveries({ id }: { readonly id: string }): ReactNode {
  const { data, error, refetch } = useOne(listWebhookDeliveries, { params: { id } }, { everyMs: PACE_MS });
  if (error !== null && data === undefined) return <FailureState error={error} onRetry={() => void refetch()} />;
  const deliveries = data?.data ?? [];
  return (
    <ListPart
      title="Latest deliveries"
      count={deliveries.length}
      none="Nothing has been sent yet. The latest 100 attempts of the past week appear here."
    >
      <DataTable
        label="Deliveries"
        columns={columns}
        rows={deliveries}
        idOf={(delivery) => `${delivery.id} ${delivery.attempt} ${delivery.at}`}
        nameOf={contentText}
      />
    </ListPart>
  );
}

import { Anchor, Button } from "@mantine/core";
import { listWebhooks, type Webhook } from "@nts/shared/contract";
import { Plus, Webhook as WebhookIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useRows } from "../api/queries.js";
import type { Column } from "../list/data-table.js";
import { fieldOf, useListState } from "../list/list-state.js";
import { ListView } from "../list/list-view.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page } from "../parts/page.js";
import { RowMenu } from "../parts/row-menu.js";
import { BackLink } from "../parts/back-link.js";
import { When } from "../parts/when.js";
import { PATHS, webhookPath } from "../paths.js";
import { useHasLevel } from "../session/session.js";
import { contentOf, FORMATS } from "./texts.js";
import { webhookName } from "../parts/names.js";
import { useWebhookActions } from "./use-webhook-actions.js";
import { LastDelivery, PACE_MS, Status } from "./webhook-status.js";

const FIELDS = ["created_at", "updated_at"] as const;

const COLUMNS: readonly Column<Webhook>[] = [
  {
    id: "url",
    label: "URL",
    cell: (webhook) => (
      <Anchor component={Link} to={webhookPath(webhook.id)} fw={600} size="sm">
        {webhookName(webhook)}
      </Anchor>
    ),
  },
  { id: "format", label: "Format", cell: ({ format }) => FORMATS[format] },
  { id: "sends", label: "Content", cell: contentOf },
  { id: "state", label: "State", cell: (webhook) => <Status webhook={webhook} withReason /> },
  {
    id: "last",
    label: "Last delivery",
    numbers: true,
    narrow: true,
    cell: (webhook) => <LastDelivery webhook={webhook} />,
  },
  {
    id: "created",
    label: "Created",
    orderBy: "created_at",
    numbers: true,
    narrow: true,
    optional: true,
    cell: ({ created_at }) => <When at={created_at} />,
  },
];

/** Where changes are sent to. */
export default function WebhooksPage(): ReactNode {
  const state = useListState();
  const may = useHasLevel("Admin");
  const { openEditor, actionsFor, windows } = useWebhookActions();
  const order_by = fieldOf(FIELDS, state.orderBy) ?? "created_at";
  const rows = useRows(listWebhooks, { query: { ...state.query, order_by } }, { everyMs: PACE_MS });
  const add = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => openEditor(null)}>
      New webhook
    </Button>
  );
  return (
    <Page title="Webhooks" about={<BackLink to={PATHS.settings}>Settings</BackLink>} actions={may && add}>
      <ListView
        label="Webhooks"
        rows={rows}
        state={state}
        columns={COLUMNS}
        idOf={({ id }) => id}
        nameOf={webhookName}
        actions={(webhook) => may && <RowMenu name={webhookName(webhook)} actions={actionsFor(webhook)} />}
        empty={
          <EmptyState icon={WebhookIcon} title="No webhooks" actions={add}>
            A webhook sends changes to your URL as they happen: signed JSON for programs, or messages for Slack, Discord
            and ntfy.
          </EmptyState>
        }
      />
      {windows}
    </Page>
  );
}

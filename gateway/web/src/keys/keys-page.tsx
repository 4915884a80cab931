import { Badge, Button } from "@mantine/core";
import {
  deleteKey,
  finishRotation,
  getUser,
  listKeys,
  updateKey,
  type UserApiKey,
  type Webhook,
} from "@nts/shared/contract";
import { ChartColumn, CheckCheck, KeyRound, Pencil, Plus, Power, RefreshCw, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useSearchParams } from "react-router";
import { useOne, useRows, useWrite } from "../api/queries.js";
import type { OpenEditor } from "../forms/for-editing.js";
import type { Column } from "../list/data-table.js";
import { fieldOf, useListState } from "../list/list-state.js";
import { ListView } from "../list/list-view.js";
import { useRemoval } from "../list/use-removal.js";
import { useConfirm } from "../forms/confirm.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page } from "../parts/page.js";
import { type RowAction, RowMenu } from "../parts/row-menu.js";
import { notifySuccess, notifyFailure } from "../parts/toast.js";
import { When } from "../parts/when.js";
import { useHasLevel } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { KeyEditor } from "./key-editor.js";
import { KeyStatus } from "./key-badge.js";
import { KeyWindow } from "./key-window.js";
import { OrganizationKeys } from "./organization-keys.js";
import { RotationWindow } from "./rotation-window.js";
import { UsageWindow } from "./usage-window.js";

const FIELDS = ["name", "created_at", "updated_at"] as const;

export default function KeysPage(): ReactNode {
  const state = useListState();
  const { nameOf } = useNetworkScope();
  const [edited, setEdited] = useState<OpenEditor>(null);
  const [rotating, setRotating] = useState<UserApiKey | null>(null);
  const [shown, setShown] = useState<UserApiKey | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [search] = useSearchParams();
  const owner = search.get("account");
  const account = useOne(getUser, { params: { id: owner ?? "" } }, { enabled: owner !== null }).data?.data;
  const order_by = fieldOf(FIELDS, state.orderBy) ?? "name";
  const rows = useRows(listKeys, { query: { ...state.query, order_by, ...(owner !== null && { user_id: owner }) } });
  const isOwner = useHasLevel("Owner");
  const actionsFor = useKeyActions({ onEdit: setEdited, onShow: setShown, onRotate: setRotating });
  const add = (
    <Button
      disabled={owner !== null && account === undefined}
      leftSection={<Plus size={16} aria-hidden />}
      onClick={() => setEdited({ id: null })}
    >
      New API key
    </Button>
  );
  return (
    <Page
      title={owner === null ? "API keys" : `API keys of ${account?.name ?? "a service account"}`}
      about={
        owner === null
          ? "For scripts and integrations. A key never has more permissions than you."
          : "A key never has more permissions than the service account, and stays when whoever made it leaves."
      }
      actions={add}
    >
      <ListView
        label="API keys"
        rows={rows}
        state={state}
        columns={columnsOf(nameOf)}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        actions={(key) => <RowMenu name={key.name} actions={actionsFor(key)} />}
        empty={
          <EmptyState icon={KeyRound} title="No API keys" actions={add}>
            Create one per script or integration, with only the permissions it needs.
          </EmptyState>
        }
      />
      {isOwner && owner === null && <OrganizationKeys />}
      {rotating !== null && (
        <RotationWindow apiKey={rotating} onClose={() => setRotating(null)} onRotated={setSecret} />
      )}
      {shown !== null && <UsageWindow apiKey={shown} onClose={() => setShown(null)} />}
      {edited !== null && (
        <KeyEditor id={edited.id} account={account ?? null} onClose={() => setEdited(null)} onCreated={setSecret} />
      )}
      {secret !== null && <KeyWindow secret={secret} onClose={() => setSecret(null)} />}
    </Page>
  );
}

interface KeyWindows {
  readonly onEdit: (key: Pick<UserApiKey, "id">) => void;
  readonly onShow: (key: UserApiKey) => void;
  readonly onRotate: (key: UserApiKey) => void;
}

/** The actions of a key. */
function useKeyActions({ onEdit, onShow, onRotate }: KeyWindows): (key: UserApiKey) => readonly RowAction[] {
  const ask = useConfirm();
  const finish = useWrite(finishRotation);
  const update = useWrite(updateKey);
  const mayHaveWebhooks = useHasLevel("Admin");
  const { removeOne } = useRemoval({
    one: deleteKey,
    noun: "key",
    consequence: "Anything using it stops working immediately. This cannot be undone.",
    ...(mayHaveWebhooks && {
      webhooksOf:
        (id: string) =>
        ({ created_by }: Webhook) =>
          created_by.key_id === id,
    }),
  });
  const askToFinish = ({ id, name }: UserApiKey): void => {
    ask({
      title: `End the old secret of ${name}?`,
      text: "Anything that still uses the previous secret stops working immediately.",
      verb: "End it",
      run: async () => {
        await finish.mutateAsync({ params: { id } });
        notifySuccess("The old secret is no longer valid.");
      },
    });
  };
  const setEnabled = (key: UserApiKey, is_enabled: boolean): void => {
    update.mutate(
      { params: { id: key.id }, body: { ...key, is_enabled } },
      {
        onSuccess: () => notifySuccess(`${key.name} is ${is_enabled ? "enabled" : "disabled"}.`),
        onError: notifyFailure,
      },
    );
  };
  return (key) => [
    { label: "Edit", icon: Pencil, run: () => onEdit(key) },
    { label: "Usage", icon: ChartColumn, run: () => onShow(key) },
    { label: key.is_enabled ? "Disable" : "Enable", icon: Power, run: () => setEnabled(key, !key.is_enabled) },
    // An assistant renews its own.
    ...(key.assistant === null ? [{ label: "Rotate", icon: RefreshCw, run: () => onRotate(key) }] : []),
    ...(key.previous === null ? [] : [{ label: "End old secret", icon: CheckCheck, run: () => askToFinish(key) }]),
    { label: "Delete", icon: Trash2, isDestructive: true, run: () => removeOne(key.id, key.name) },
  ];
}

function KeyName({ name, assistant }: UserApiKey): ReactNode {
  return (
    <>
      <strong>{name}</strong>
      {assistant !== null && (
        <>
          {" "}
          <Badge variant="light" tt="none">
            Assistant
          </Badge>
        </>
      )}
    </>
  );
}

function networksText(isRestricted: boolean, names: readonly string[]): string {
  if (!isRestricted) return "All";
  return names.length === 0 ? "None" : names.join(", ");
}

function columnsOf(nameOf: (networkId: string) => string): readonly Column<UserApiKey>[] {
  return [
    { id: "name", label: "Name", orderBy: "name", cell: KeyName },
    { id: "key", label: "Key", cell: ({ key }) => <span className="mono">{key.replace(/\*+$/, "…")}</span> },
    { id: "status", label: "Status", narrow: true, cell: (key) => <KeyStatus apiKey={key} /> },
    { id: "role", label: "Role", narrow: true, cell: ({ permissions }) => permissions },
    {
      id: "networks",
      label: "Networks",
      cell: ({ restricted, network_ids }) => networksText(restricted, network_ids.map(nameOf)),
    },
    {
      id: "expires",
      label: "Expires",
      numbers: true,
      narrow: true,
      cell: ({ ends_at, assistant }) => <When at={assistant?.ends_at ?? ends_at} />,
    },
    { id: "used", label: "Last used", numbers: true, narrow: true, cell: ({ last_used }) => <When at={last_used} /> },
  ];
}

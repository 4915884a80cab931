import { deleteWebhook, patchWebhook, rotateWebhook, testWebhook, type Webhook } from "@nts/shared/contract";
import { FlaskConical, Pencil, Play, Power, RefreshCw, Rewind, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useWrite } from "../api/queries.js";
import type { OpenEditor } from "../forms/for-editing.js";
import { useRemoval } from "../list/use-removal.js";
import { useConfirm } from "../forms/confirm.js";
import type { RowAction } from "../parts/row-menu.js";
import { SecretWindow } from "../parts/secret-window.js";
import { notifySuccess, notifyFailure } from "../parts/toast.js";
import { ReplayWindow } from "./replay-window.js";
import { TestWindow } from "./test-window.js";
import { webhookName } from "../parts/names.js";
import { WebhookEditor } from "./webhook-editor.js";

interface WebhookActions {
  readonly openEditor: (id: string | null) => void;
  readonly test: (webhook: Webhook) => void;
  readonly actionsFor: (webhook: Webhook) => readonly RowAction[];
  /** The windows opened by the actions. */
  readonly windows: ReactNode;
}

const SECRET_TEXTS = {
  title: "Secret of the webhook",
  label: "Secret",
  warning: "The receiver uses it to verify that messages come from this system.",
} as const;

/** The actions of webhooks. @param onDeleted called after deletion */
export function useWebhookActions(onDeleted?: () => void): WebhookActions {
  const [edited, setEdited] = useState<OpenEditor>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [tested, setTested] = useState<Webhook | null>(null);
  const [replayed, setReplayed] = useState<Webhook | null>(null);
  const sending = useWrite(testWebhook);
  const askToRotate = useRotation(setSecret);
  const setEnabled = useSwitch();
  const { removeOne } = useRemoval({
    one: deleteWebhook,
    noun: "webhook",
    consequence: "No more messages are sent, including pending ones. This cannot be undone.",
  });
  const test = (webhook: Webhook): void => {
    setTested(webhook);
    sending.mutate({ params: { id: webhook.id } });
  };
  return {
    openEditor: (id) => setEdited({ id }),
    test,
    actionsFor: (webhook) => [
      { label: "Edit", icon: Pencil, run: () => setEdited({ id: webhook.id }) },
      { label: "Send test", icon: FlaskConical, run: () => test(webhook) },
      webhook.is_enabled
        ? { label: "Disable", icon: Power, run: () => setEnabled(webhook, false) }
        : {
            label: webhook.paused === null ? "Enable" : "Resume",
            icon: Play,
            run: () => setEnabled(webhook, true),
          },
      { label: "Replay", icon: Rewind, run: () => setReplayed(webhook) },
      { label: "Rotate secret", icon: RefreshCw, run: () => askToRotate(webhook) },
      {
        label: "Delete",
        icon: Trash2,
        isDestructive: true,
        run: () => removeOne(webhook.id, webhookName(webhook), onDeleted),
      },
    ],
    windows: (
      <>
        {edited !== null && <WebhookEditor id={edited.id} onClose={() => setEdited(null)} onCreated={setSecret} />}
        {secret !== null && <SecretWindow {...SECRET_TEXTS} secret={secret} onClose={() => setSecret(null)} />}
        {tested !== null && (
          <TestWindow
            name={webhookName(tested)}
            result={sending.data}
            error={sending.error}
            onClose={() => setTested(null)}
          />
        )}
        {replayed !== null && <ReplayWindow webhook={replayed} onClose={() => setReplayed(null)} />}
      </>
    ),
  };
}

/** @param onRotated called with the new secret */
function useRotation(onRotated: (secret: string) => void): (webhook: Webhook) => void {
  const ask = useConfirm();
  const rotate = useWrite(rotateWebhook);
  return (webhook) => {
    ask({
      title: `Rotate the secret of ${webhookName(webhook)}?`,
      text: "Messages are signed with the new secret from then on. Those that the receiver rejects until it has the new secret are retried.",
      verb: "Rotate",
      run: async () => onRotated((await rotate.mutateAsync({ params: { id: webhook.id } })).secret),
    });
  };
}

/** Enables and disables webhooks. */
function useSwitch(): (webhook: Webhook, isEnabled: boolean) => void {
  const patch = useWrite(patchWebhook);
  return (webhook, isEnabled) => {
    const said = `${webhookName(webhook)} is ${isEnabled ? "enabled" : "disabled"}.`;
    const outcome = { onSuccess: () => notifySuccess(said), onError: notifyFailure };
    patch.mutate({ params: { id: webhook.id }, body: { is_enabled: isEnabled } }, outcome);
  };
}

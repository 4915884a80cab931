import {
  type Collector,
  type CreatedCollector,
  deleteCollector,
  patchCollector,
  renewCollectorToken,
  runCollector,
} from "@nts/shared/contract";
import { Pencil, Play, Power, Radar, Terminal, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useWrite } from "../api/queries.js";
import { useConfirm } from "../forms/confirm.js";
import type { OpenEditor } from "../forms/for-editing.js";
import { useRemoval } from "../list/use-removal.js";
import type { RowAction } from "../parts/row-menu.js";
import { notifyFailure, notifySuccess } from "../parts/toast.js";
import { CollectorEditor } from "./collector-editor.js";
import { CommandWindow } from "./command-window.js";

interface CollectorActions {
  readonly openEditor: (id: string | null) => void;
  readonly scan: (collector: Collector) => void;
  readonly isScanning: boolean;
  readonly actionsFor: (collector: Collector) => readonly RowAction[];
  /** The windows opened by the actions. */
  readonly windows: ReactNode;
}

/** The actions of collectors. @param onDeleted called after deletion */
export function useCollectorActions(onDeleted?: () => void): CollectorActions {
  const [edited, setEdited] = useState<OpenEditor>(null);
  const [created, setCreated] = useState<CreatedCollector | null>(null);
  const running = useWrite(runCollector);
  const askForCommand = useNewCommand(setCreated);
  const setEnabled = useSwitch();
  const { removeOne } = useRemoval({
    one: deleteCollector,
    noun: "collector",
    consequence: "Its key ends at once. What it has reported remains.",
  });
  const scan = ({ id, name }: Collector): void => {
    const outcome = { onSuccess: () => notifySuccess(`${name} looks around now.`), onError: notifyFailure };
    running.mutate({ params: { id }, body: {} }, outcome);
  };
  return {
    openEditor: (id) => setEdited({ id }),
    scan,
    isScanning: running.isPending,
    actionsFor: (collector) => [
      {
        label: "Scan now",
        icon: Radar,
        run: () => scan(collector),
        isDisabled: collector.state === "pending" || !collector.is_enabled,
      },
      { label: "Edit", icon: Pencil, run: () => setEdited({ id: collector.id }) },
      { label: "New command", icon: Terminal, run: () => askForCommand(collector) },
      collector.is_enabled
        ? { label: "Disable", icon: Power, run: () => setEnabled(collector, false) }
        : { label: "Enable", icon: Play, run: () => setEnabled(collector, true) },
      {
        label: "Delete",
        icon: Trash2,
        isDestructive: true,
        run: () => removeOne(collector.id, collector.name, onDeleted),
      },
    ],
    windows: (
      <>
        {edited !== null && <CollectorEditor id={edited.id} onClose={() => setEdited(null)} onCreated={setCreated} />}
        {created !== null && <CommandWindow created={created} onClose={() => setCreated(null)} />}
      </>
    ),
  };
}

/** @param onRenewed called with the new token */
function useNewCommand(onRenewed: (created: CreatedCollector) => void): (collector: Collector) => void {
  const ask = useConfirm();
  const renew = useWrite(renewCollectorToken);
  return ({ id, name, enrolled_at }) => {
    const run = async (): Promise<void> => onRenewed(await renew.mutateAsync({ params: { id } }));
    ask({
      title: `A new command for ${name}?`,
      text:
        enrolled_at === null
          ? "The command from before no longer works."
          : "Once it is run on a machine, the machine that is the collector now is refused.",
      verb: "Show command",
      run,
    });
  };
}

/** Enables and disables collectors. */
function useSwitch(): (collector: Collector, isEnabled: boolean) => void {
  const patch = useWrite(patchCollector);
  return ({ id, name }, isEnabled) => {
    const said = `${name} is ${isEnabled ? "enabled" : "disabled"}.`;
    const outcome = { onSuccess: () => notifySuccess(said), onError: notifyFailure };
    patch.mutate({ params: { id }, body: { is_enabled: isEnabled } }, outcome);
  };
}

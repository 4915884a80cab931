import type { Input } from "@nts/shared/client";
import type { Endpoint, Webhook } from "@nts/shared/contract";
import { createElement, Fragment, type ReactNode } from "react";
import { usePlan, useWrite } from "../api/queries.js";
import { type Question, useConfirm } from "../forms/confirm.js";
import { notifySuccess } from "../parts/toast.js";
import { MadeWebhooks } from "./made-webhooks.js";
import { withUndo } from "./undo-text.js";
import type { Selecting } from "./use-selection.js";

interface RemovalOptions<One extends Endpoint, Many extends Endpoint> {
  readonly one: One;
  readonly many?: Many;
  /** Singular, such as `host`; the plural has an s. */
  readonly noun: string;
  /** What is deleted with it, as a sentence. */
  readonly consequence: string;
  /** The webhooks made by what is deleted, if it can make some. */
  readonly webhooksOf?: (id: string) => (webhook: Webhook) => boolean;
  /** What else follows from the deletion of one. */
  readonly stopsWith?: (id: string) => ReactNode;
  readonly selection?: Selecting;
}

export interface Removal {
  readonly removeOne: (id: string, name: string, afterwards?: () => void) => void;
  readonly removeSelected: () => void;
}

/** Deletes one or all selected entities after confirmation. */
export function useRemoval<One extends Endpoint, Many extends Endpoint>(options: RemovalOptions<One, Many>): Removal {
  const { one, many, noun, consequence, webhooksOf, stopsWith, selection } = options;
  const ask = useConfirm();
  const showPlan = usePlan();
  // Previews deletions, if the API supports it.
  const planOf = (operation: Endpoint, input: object): Pick<Question, "plan"> =>
    operation.plans === true ? { plan: () => showPlan(operation, input) } : {};
  const removeOne = useWrite(one);
  const removeMany = useWrite(many ?? one);
  return {
    removeOne: (id, name, afterwards) => {
      let isKept = false;
      const onKeep = (next: boolean): void => {
        isKept = next;
      };
      const text = withUndo(consequence, one);
      ask({
        title: `Delete ${name}?`,
        text: [
          text,
          createElement(Fragment, { key: "stops" }, stopsWith?.(id)),
          webhooksOf && createElement(MadeWebhooks, { key: id, isMade: webhooksOf(id), onKeep }),
        ],
        verb: "Delete",
        ...planOf(one, { params: { id } }),
        run: async () => {
          const query = isKept ? { query: { keep_webhooks: true } } : {};
          await removeOne.mutateAsync({ params: { id }, ...query } as unknown as Input<One>);
          selection?.toggle([id], false);
          notifySuccess(`${name} is deleted.`);
          afterwards?.();
        },
      });
    },
    removeSelected: () => {
      const ids = [...(selection?.ids ?? [])];
      const what = `${ids.length} ${ids.length === 1 ? noun : `${noun}s`}`;
      ask({
        title: `Delete ${what}?`,
        text: withUndo(consequence, many ?? one),
        verb: `Delete ${what}`,
        ...planOf(many ?? one, { body: ids }),
        run: async () => {
          await removeMany.mutateAsync({ body: ids } as unknown as Input<One | Many>);
          selection?.clear();
          notifySuccess(`${what} deleted.`);
        },
      });
    },
  };
}

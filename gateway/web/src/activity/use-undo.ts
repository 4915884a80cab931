import { revertChanges } from "@nts/shared/contract";
import { usePlan, useWrite } from "../api/queries.js";
import { useConfirm } from "../forms/confirm.js";
import { notifySuccess } from "../parts/toast.js";

/** Reverts a request after a preview. */
export function useUndo(): (requestId: string) => void {
  const ask = useConfirm();
  const showPlan = usePlan();
  const revert = useWrite(revertChanges);
  return (requestId) => {
    const input = { body: { request_id: requestId } };
    ask({
      title: "Undo this request?",
      text: "Everything this request changed will be reverted. If any of it has changed since, nothing will be.",
      verb: "Undo",
      isDestructive: false,
      plan: () => showPlan(revertChanges, input),
      isReviewed: true,
      run: async () => {
        await revert.mutateAsync(input);
        notifySuccess("Request undone.");
      },
    });
  };
}

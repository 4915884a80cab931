import { revertChanges } from "@nts/shared/contract";
import { revertRequest } from "@nts/shared/follow-job";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../api/client.js";
import { readAgain, usePlan } from "../api/queries.js";
import { useConfirm } from "../forms/confirm.js";
import { notifySuccess } from "../parts/toast.js";

/** Hosts of an import of which no plan is shown, since it would list none of so many: that they can be undone is checked by a job. */
const MANY_HOSTS = 2_000;

/** Reverts a request after a preview. @returns takes how many hosts it has imported, if it is an import */
export function useUndo(): (requestId: string, hosts?: number) => void {
  const ask = useConfirm();
  const showPlan = usePlan();
  const queries = useQueryClient();
  const revert = useMutation({
    mutationFn: ({ requestId, tell }: { requestId: string; tell: (text: string) => void }) =>
      revertRequest(api, requestId, {
        onProgress: ({ done, total }) =>
          tell(total === null ? "Counting …" : `${done.toLocaleString("en")} of ${total.toLocaleString("en")} undone`),
      }),
    onSettled: () => readAgain(queries),
  });
  return (requestId, hosts = 0) => {
    const isLarge = hosts > MANY_HOSTS;
    const all = "Everything this request changed will be reverted. If any of it has changed since, nothing will be.";
    ask({
      title: "Undo this request?",
      text: isLarge ? `${all} It has imported ${hosts.toLocaleString("en")} hosts.` : all,
      verb: "Undo",
      isDestructive: false,
      plan: () => (isLarge ? checked(requestId) : showPlan(revertChanges, { body: { request_id: requestId } })),
      isReviewed: true,
      run: async (tell) => {
        await revert.mutateAsync({ requestId, tell });
        notifySuccess("Request undone.");
      },
    });
  };
}

/** What an undo would do, as a sentence. @throws ApiError what prevents it */
async function checked(requestId: string): Promise<string> {
  const { removed, updated, restored } = await revertRequest(api, requestId, { isDry: true });
  const [gone, reset, back] = [removed, updated, restored].map((count) => count.toLocaleString("en"));
  return `This would remove ${gone}, reset ${reset} and restore ${back} hosts, interfaces, ports, services and others.`;
}

import { cancelRevertJob, getRevertJob, hasEnded, listRevertJobs, type RevertJob } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { mount, type Router, type UserCall } from "@nts/shared/http/mount";
import { respond } from "@nts/shared/http/respond";
import type { Scope, UserPrincipal } from "@nts/shared/http/tenancy";
import { CANCELLED_MS, untilEnd } from "../imports/jobs/await-end.js";
import type { Waiting } from "../journal/waiting.js";
import type { JobMaker } from "../storage/open-jobs.js";
import type { Storage } from "../storage/storage.js";

export function mountRevertJobs(router: Router, { revertJobs }: Storage, waiting: Waiting): void {
  mount(router, listRevertJobs, async ({ scope, principal }) =>
    respond.data(await revertJobs.list(scope.organizationId, seenBy(principal))),
  );

  mount(router, getRevertJob, async (call) => {
    const job = await found(call);
    return hasEnded(job) || call.query.wait === 0 ? respond.data(job) : respond.jsonPieces(textOf(call));
  });

  mount(router, cancelRevertJob, async (call) => {
    const { scope, principal, params } = call;
    await found(call);
    await revertJobs.requestEnd(scope.organizationId, seenBy(principal), params.id);
    return respond.data(await untilEnd(revertJobs, awaited(call), CANCELLED_MS));
  });

  /** @throws AppError `not_found` */
  async function found({ scope, principal, params: { id } }: Call): Promise<RevertJob> {
    const job = await revertJobs.find(scope.organizationId, seenBy(principal), id);
    if (job === null) throw new AppError("not_found", { entity: "RevertJob" });
    return job;
  }

  const awaited = (call: UserCall<typeof getRevertJob> | UserCall<typeof cancelRevertJob>) => ({
    ...{ work: call.work, id: call.params.id },
    find: () => found(call),
  });

  /** @throws AppError `too_many_in_flight` before the first piece */
  async function* textOf(call: UserCall<typeof getRevertJob>): AsyncGenerator<string> {
    const { principal, scope, query } = call;
    const waiter = waiting.begin(principal.userId, scope.organizationId, new Set());
    try {
      // The response begins before the job has ended, so that a long wait is no time-out.
      yield " ";
      yield JSON.stringify(await untilEnd(revertJobs, awaited(call), query.wait * 1_000));
    } finally {
      waiter.end();
    }
  }
}

interface Call {
  readonly scope: Scope;
  readonly principal: UserPrincipal;
  readonly params: { readonly id: string };
}

/** Whoever sees all networks may see what all own credentials have started. */
function seenBy(principal: UserPrincipal): JobMaker {
  const isWhole = principal.kind !== "key" || principal.scope.networks === "all";
  return { user_id: principal.userId, key_id: isWhole ? null : principal.credentialId };
}

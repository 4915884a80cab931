import { getRevertJob, hasEnded, type RevertJob } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { mount, type Router, type UserCall } from "@nts/shared/http/mount";
import { respond } from "@nts/shared/http/respond";
import { untilEnd } from "../imports/jobs/await-end.js";
import type { Waiting } from "../journal/waiting.js";
import type { Storage } from "../storage/storage.js";

type Call = UserCall<typeof getRevertJob>;

export function mountRevertJobs(router: Router, { revertJobs }: Storage, waiting: Waiting): void {
  mount(router, getRevertJob, async (call) => {
    const job = await found(call);
    return hasEnded(job) || call.query.wait === 0 ? respond.data(job) : respond.jsonPieces(awaited(call));
  });

  /** @throws AppError `not_found` */
  async function found({ scope, principal, params: { id } }: Call): Promise<RevertJob> {
    // Whoever sees all networks may see what all own credentials have started.
    const isWhole = principal.kind !== "key" || principal.scope.networks === "all";
    const maker = { user_id: principal.userId, key_id: isWhole ? null : principal.credentialId };
    const job = await revertJobs.find(scope.organizationId, maker, id);
    if (job === null) throw new AppError("not_found", { entity: "RevertJob" });
    return job;
  }

  /** @throws AppError `too_many_in_flight` before the first piece */
  async function* awaited(call: Call): AsyncGenerator<string> {
    const { principal, scope, work, query } = call;
    const waiter = waiting.begin(principal.userId, scope.organizationId, new Set());
    try {
      // The response begins before the job has ended, so that a long wait is no time-out.
      yield " ";
      yield JSON.stringify(await untilEnd(() => found(call), work, query.wait * 1_000));
    } finally {
      waiter.end();
    }
  }
}

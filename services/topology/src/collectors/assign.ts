import { setTimeout as delay } from "node:timers/promises";
import { dueSince, isOpen, nextRunAfter } from "@nts/shared/collector-schedule";
import { isStillAllowed } from "@nts/shared/collector-targets";
import type { CollectorAssignment } from "@nts/shared/contract";
import type { CollectorPlan } from "@nts/shared/contract/internal";
import type { Work } from "@nts/shared/work";
import type { CollectorJobDocument, CollectorJobs, CollectorKey } from "../storage/collector-jobs.js";
import { deadlineOf } from "./deadline.js";

// Gives jobs to collectors. A job is only given at the beginning of a request, whose settings are those of now.

/** Milliseconds between looks for a job. */
const LOOK_EVERY_MS = 1_000;

/** The next job of a collector: one that was requested, or one by its schedule; null if there is none. */
export async function assign(
  jobs: CollectorJobs,
  collector: CollectorKey,
  plan: CollectorPlan,
): Promise<CollectorJobDocument | null> {
  const now = new Date();
  if (!isOpen(plan.window, now)) return null;
  for (let next = await jobs.nextQueued(collector); next !== null; next = await jobs.nextQueued(collector)) {
    if (!isStillAllowed(next.targets, plan.targets)) {
      await jobs.cancel(next);
      continue;
    }
    const started = await jobs.start(next, deadlineOf({ ...plan, targets: next.targets }, now));
    if (started !== null) return started;
  }
  const scheduledFor = await dueFor(jobs, collector, plan, now);
  if (scheduledFor === null) return null;
  const { targets, packets_per_second, senses } = plan;
  const job = { ...collector, trigger: "schedule" as const, requested_by: null, targets, packets_per_second, senses };
  return jobs.startScheduled(job, scheduledFor, deadlineOf(plan, now));
}

/** The scheduled time for which a job is due: at once if there has been none, and not while one is running. */
async function dueFor(
  jobs: CollectorJobs,
  collector: CollectorKey,
  plan: CollectorPlan,
  now: Date,
): Promise<Date | null> {
  if (plan.schedule === null) return null;
  const last = await jobs.lastOf(collector);
  if (last === null) return new Date(Math.floor(now.getTime() / 60_000) * 60_000);
  return last.isRunning ? null : dueSince(plan, { last: last.scheduledFor ?? new Date(0), now });
}

/** Waits until asking again may yield a job. @param work the request, which may be abandoned */
export async function awaitWork(
  jobs: Pick<CollectorJobs, "isQueued">,
  { collector, plan, work }: { collector: CollectorKey; plan: CollectorPlan; work: Pick<Work, "isAbandoned"> },
  mostMs: number,
): Promise<void> {
  const next = nextRunAfter(plan, new Date());
  const until = performance.now() + mostMs;
  while (performance.now() < until && !work.isAbandoned()) {
    if ((next !== null && next.getTime() <= Date.now()) || (await jobs.isQueued(collector))) return;
    await delay(Math.max(0, Math.min(LOOK_EVERY_MS, until - performance.now())));
  }
}

export function assignmentOf(job: CollectorJobDocument, plan: CollectorPlan): CollectorAssignment {
  const { _id: id, senses, targets, packets_per_second, deadline, state } = job;
  const msLeft = deadline.getTime() - Date.now();
  return {
    ...{ id, senses, targets, packets_per_second: Math.min(packets_per_second, plan.packets_per_second) },
    deadline: deadline.toISOString(),
    seconds_left: Math.max(0, Math.floor(msLeft / 1_000)),
    is_cancelled: state !== "running" || msLeft <= 0 || !isStillAllowed(targets, plan.targets),
  };
}

import {
  type Collector,
  type CollectorJob,
  listCollectorJobs,
  listCollectors,
  runCollector,
} from "@nts/shared/contract";
import type { Pagination } from "@nts/shared/client";
import { z } from "zod";
import { type Following, nothingFound, pageOf, short } from "../results.rules.js";
import { tool } from "../tool.js";
import { count, from, inNetwork, network, PAGE, text } from "./parts.js";

const CollectorLine = z.looseObject({ id: text, name: text, network_id: text, state: text });
const JobLine = z.looseObject({ id: text, trigger: text, state: text, created_at: text });

export const collectors = tool({
  name: "collectors",
  title: "Collectors and their jobs",
  description:
    "Programs that look around in the networks: whether each is there, which of its senses do not work, and when it looks next; with " +
    "`collector_id`, its last jobs. Needs the level Admin.",
  input: z.object({
    collector_id: z.string().max(36).optional().describe("The jobs of this one, the newest first."),
    network_id: network,
    from,
  }),
  output: z.object({
    total: count,
    collectors: z.array(CollectorLine).optional(),
    jobs: z.array(JobLine).optional(),
  }),
  run: async (client, { collector_id, network_id, from: offset }) => {
    const query = { limit: PAGE, offset, ...inNetwork(network_id) };
    if (collector_id === undefined) {
      const { data, pagination } = await client.list(listCollectors, { query });
      const { items, next } = pageOf(data.map(collectorLine), offset);
      const advice = "There is no collector: an Admin makes one in the console, under Collectors.";
      return {
        data: { total: pagination.total_count, collectors: items },
        next: following({ next, pagination, offset, advice }),
      };
    }
    const newest = { order_by: "created_at", order_direction: "desc" } as const;
    const { data, pagination } = await client.list(listCollectorJobs, { query: { ...query, ...newest, collector_id } });
    const { items, next } = pageOf(data.map(jobLine), offset);
    const advice = "It had no job in the last days: call scan_now.";
    return {
      data: { total: pagination.total_count, jobs: items },
      next: following({ next, pagination, offset, advice }),
    };
  },
});

interface Place {
  /** What of the page does not fit. */
  readonly next: number | null;
  readonly pagination: Pick<Pagination, "has_more" | "total_count">;
  readonly offset: number;
  readonly advice: string;
}

function following({ next, pagination, offset, advice }: Place): Following {
  const place = next ?? (pagination.has_more ? offset + PAGE : null);
  if (place !== null) return `call collectors with the same arguments and from=${place}`;
  return pagination.total_count === 0 ? nothingFound(advice) : null;
}

export const scanNow = tool({
  name: "scan_now",
  title: "Scan now",
  description:
    "Lets a collector look around in its network now, or in a part of its targets. It changes the inventory like its scheduled scans. " +
    "Needs the level Admin.",
  input: z.object({
    collector_id: z.string().max(36).describe("As given by collectors."),
    cidrs: z
      .array(z.string().max(50))
      .max(20)
      .optional()
      .describe("Only these blocks or addresses, among its targets."),
  }),
  output: z.object({ job: JobLine }),
  writes: "additive",
  run: async (client, { collector_id, cidrs }) => {
    const body = cidrs === undefined || cidrs.length === 0 ? {} : { targets: { cidrs } };
    const job = await client.call(runCollector, { params: { id: collector_id }, body });
    return {
      data: { job: jobLine(job) },
      next: {
        sentence: `It runs. Call collectors with collector_id=${collector_id} after a minute to see how it went.`,
      },
    };
  },
});

function collectorLine({ id, name, network_id, state, is_enabled, hostname, senses, ...one }: Collector) {
  const lacking = senses.filter(({ state: is }) => is === "unavailable");
  return {
    ...{ id, name: short(name, 60), network_id, state, is_enabled, machine: short(hostname, 80) },
    ...{ last_seen_at: one.last_seen_at, next_run_at: one.next_run_at },
    ...{ targets: one.targets.cidrs.slice(0, 5), excluded: one.targets.exclude.length },
    senses: senses.flatMap(({ name: sense, state: is }) => (is === "ready" ? [sense] : [])),
    unavailable: lacking.slice(0, 5).map(({ name: sense, reason }) => ({ sense, reason: short(reason, 80) })),
  };
}

function jobLine(job: CollectorJob) {
  const { id, trigger, state, created_at, ended_at, reports, covered, error, summary, request_id } = job;
  return {
    ...{ id, trigger, state, created_at, ended_at, reports, request_id },
    ...{ covered: covered.slice(0, 5), error: short(error?.message ?? null, 200) },
    ...{ created_hosts: summary?.hosts.create ?? null, missing_hosts: summary?.missing.hosts ?? null },
  };
}

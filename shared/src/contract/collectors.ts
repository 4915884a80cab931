import { z } from "zod";
import { Actor } from "./changes.js";
import { byId, filters, Id, label, listQuery, Name, Nothing, QUOTA_ERRORS, serverFields, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { JOB_DAYS } from "./import-job.js";
import { ImportSummary, Refusal } from "./imports.js";
import { patchOf } from "./merge-patch.js";
import { MOST_TARGET_ADDRESSES } from "./sizes.js";
import { Cidr } from "./subnets.js";
import { upload } from "./upload.js";

// Programs on machines of a network that look around and report; the server decides what it means. @see docs/collectors.md

/** Maximum collectors of an organization. */
export const MOST_COLLECTORS = 100;
/** Hours in which the token of a new collector must be used. */
export const ENROLMENT_HOURS = 24;
const MOST_BLOCKS = 100;
const MOST_SENSES = 32;
/** Jobs of a collector that wait to be fetched. */
export const MOST_QUEUED_JOBS = 4;
/** Reports of a job, and their bytes. */
export const MOST_REPORTS = 50;
export const REPORT_BYTES = 20 * 1_048_576;
export const MOST_REPORTED_BYTES = 40 * 1_048_576;
/** The longest wait for a job, in seconds. */
export const LONGEST_COLLECTOR_WAIT_SECONDS = 25;
/** Seconds after its last request from which a collector is late, and offline. It polls every half minute, or reports on its work every minute. */
export const LATE_AFTER_SECONDS = 150;
export const OFFLINE_AFTER_SECONDS = 900;

/** Every quarter of an hour, for example; whether numbers are in range is checked by the server. */
const Cron = z
  .string()
  .trim()
  .max(100)
  .regex(
    /^[\dA-Za-z*,/#?-]+(?: +[\dA-Za-z*,/#?-]+){4}$/,
    "must have five fields: minute, hour, day, month and day of the week",
  );

const TimeZone = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][\w+/-]*$/, "must be a time zone such as Europe/Berlin")
  .meta({ examples: ["Europe/Berlin", "UTC"] });

const TimeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "must be a time such as 22:30");

export const CollectorSchedule = z
  .object({
    cron: Cron.describe("Five fields: minute, hour, day of the month, month, day of the week.").meta({
      examples: ["0 * * * *"],
    }),
    time_zone: TimeZone.describe("In which its hours are meant."),
  })
  .meta({ id: "CollectorSchedule" });
export type CollectorSchedule = z.infer<typeof CollectorSchedule>;

export const CollectorWindow = z
  .object({
    from: TimeOfDay,
    to: TimeOfDay.describe("Exclusive; before `from`, it is on the next day."),
    time_zone: TimeZone,
  })
  .meta({ id: "CollectorWindow" });
export type CollectorWindow = z.infer<typeof CollectorWindow>;

export const CollectorTargets = z
  .object({
    cidrs: z
      .array(Cidr)
      .max(MOST_BLOCKS)
      .overwrite((blocks) => [...new Set(blocks)])
      .describe(
        `Where it looks, at most ${MOST_TARGET_ADDRESSES} addresses; empty for the links of its machine, without those larger than /20.`,
      ),
    exclude: z
      .array(Cidr)
      .max(MOST_BLOCKS)
      .overwrite((blocks) => [...new Set(blocks)])
      .describe("Blocks to which it sends nothing."),
  })
  .meta({ id: "CollectorTargets" });
export type CollectorTargets = z.infer<typeof CollectorTargets>;

/** A block as people write it: an address is one of its own. */
export function blockOf(text: string): string {
  return text.includes("/") ? text : `${text}/${text.includes(":") ? 128 : 32}`;
}

const SENSE_STATES = ["ready", "unavailable", "off"] as const;

/** One way of looking around, as the collector describes it. */
export const CollectorSense = z
  .object({
    name: z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, "must be a name such as neighbours"),
    state: z
      .enum(SENSE_STATES)
      .meta({ id: "CollectorSenseState" })
      .describe("`ready`: it works here. `unavailable`: `reason` says what is missing. `off`: switched off there."),
    reason: label(0, 300).nullable().default(null),
  })
  .meta({ id: "CollectorSense" });
export type CollectorSense = z.infer<typeof CollectorSense>;

const Senses = z
  .array(CollectorSense)
  .max(MOST_SENSES)
  .overwrite((senses) => [...new Map(senses.map((sense) => [sense.name, sense])).values()]);

const PacketsPerSecond = z.int().min(1).max(10_000);

export const COLLECTOR_STATES = ["pending", "online", "late", "offline"] as const;

export const Collector = z
  .object({
    ...serverFields,
    network_id: Id,
    user_id: Id.describe("Who created it. It remains when that user leaves."),
    name: z.string(),
    is_enabled: z.boolean().describe("False: its key is refused until it is enabled again."),
    state: z
      .enum(COLLECTOR_STATES)
      .meta({ id: "CollectorState" })
      .describe(
        `\`pending\`: no machine has enrolled. \`online\`: it was heard in the last ${LATE_AFTER_SECONDS} seconds, \`late\`: in the last ${OFFLINE_AFTER_SECONDS / 60} minutes, \`offline\`: not for longer.`,
      ),
    last_seen_at: Timestamp.nullable().describe("Of its last request, by the clock of the server; seconds behind."),
    enrolled_at: Timestamp.nullable(),
    token_expires_at: Timestamp.nullable().describe("Of a token that has not been used yet; null if there is none."),
    hostname: z.string().nullable(),
    version: z.string().nullable(),
    senses: z.array(CollectorSense).describe("What it can do on its machine, and why not."),
    schedule: CollectorSchedule.nullable().describe("When it looks around; null for only on request."),
    window: CollectorWindow.nullable().describe(
      "The time of day in which it may look around; null for any. Work that has not ended when it closes covers nothing.",
    ),
    targets: CollectorTargets,
    packets_per_second: PacketsPerSecond,
    next_run_at: Timestamp.nullable().describe("When its schedule next lets it look around."),
  })
  .meta({ id: "Collector" });
export type Collector = z.infer<typeof Collector>;

export const DEFAULT_PACKETS_PER_SECOND = 500;
/** Every hour; a caller says another. */
export const DEFAULT_SCHEDULE: CollectorSchedule = { cron: "0 * * * *", time_zone: "UTC" };

const settings = {
  name: Name,
  is_enabled: z.boolean().optional().describe("Default true; if absent, unchanged."),
  schedule: CollectorSchedule.nullable()
    .optional()
    .describe("Default every hour; null for only on request; if absent, unchanged."),
  window: CollectorWindow.nullable().optional().describe("Default null, at any time; if absent, unchanged."),
  targets: CollectorTargets.optional().describe("Default the links of its machine; if absent, unchanged."),
  packets_per_second: PacketsPerSecond.optional().describe(
    `Most packets that it sends; default ${DEFAULT_PACKETS_PER_SECOND}; if absent, unchanged.`,
  ),
};

export const CollectorInput = z.object({ network_id: Id, ...settings }).meta({ id: "CollectorInput" });
export type CollectorInput = z.infer<typeof CollectorInput>;

export const CollectorUpdate = z
  .object({ network_id: Id.optional().describe("Cannot be changed."), ...settings })
  .meta({ id: "CollectorUpdate" });
export type CollectorUpdate = z.infer<typeof CollectorUpdate>;

const common = { credential: "any", permission: "Admin", tag: "Collectors" } as const;
const atIdentity = { ...common, upstream: "identity" } as const;

export const listCollectors = endpoint({
  ...atIdentity,
  operationId: "list_collectors",
  method: "get",
  path: "/api/v1/collectors",
  summary: "List collectors",
  query: listQuery(["created_at", "name", "updated_at"], {
    network_id: filters.network_id.describe("Only those of this network."),
    ids: filters.ids,
  }),
  response: Collector,
  list: true,
  errors: [],
});

export const CreatedCollector = z
  .object({
    collector: Collector,
    token: z.string().describe(`For one machine to enrol with, once, within ${ENROLMENT_HOURS} hours.`),
  })
  .meta({ id: "CreatedCollector" });
export type CreatedCollector = z.infer<typeof CreatedCollector>;

export const createCollector = endpoint({
  ...atIdentity,
  outlivesKeys: true,
  showsSecret: true,
  operationId: "create_collector",
  method: "post",
  path: "/api/v1/collectors",
  summary: "Create a collector; the token for its machine is only returned here",
  description:
    "Run `nts agent --server URL --token TOKEN` on a machine of the network. It outlives what made it: API keys that expire, or " +
    "are restricted or limited, are rejected.",
  body: CollectorInput,
  response: CreatedCollector,
  errors: ["invalid_reference", ...QUOTA_ERRORS, "write_conflict"],
});

export const getCollector = endpoint({
  ...atIdentity,
  operationId: "get_collector_by_id",
  method: "get",
  path: "/api/v1/collectors/{id}",
  summary: "Get a collector",
  params: byId,
  isVolatile: true,
  response: Collector,
  errors: ["not_found"],
});

export const updateCollector = endpoint({
  ...atIdentity,
  operationId: "update_collector",
  method: "put",
  path: "/api/v1/collectors/{id}",
  summary: "Update a collector",
  description:
    "Jobs that are given out after the response follow the new settings, and work in progress that they do not allow any more " +
    "is told to stop within a minute. Disabled, its key is refused by every gateway when the response arrives.",
  params: byId,
  body: CollectorUpdate,
  response: Collector,
  errors: ["not_found", "network_mismatch", "precondition_failed", "write_conflict"],
});

export const patchCollector = patchOf(updateCollector);

export const deleteCollector = endpoint({
  ...atIdentity,
  operationId: "delete_collector",
  method: "delete",
  path: "/api/v1/collectors/{id}",
  summary: "Delete a collector",
  description:
    "Its key and token are refused by every gateway when the response arrives. What it has reported remains, as do its jobs.",
  params: byId,
  response: Nothing,
  errors: ["not_found", "precondition_failed", "write_conflict"],
});

export const renewCollectorToken = endpoint({
  ...atIdentity,
  outlivesKeys: true,
  showsSecret: true,
  operationId: "renew_collector_token",
  method: "post",
  path: "/api/v1/collectors/{id}/token",
  summary: "Get a new token, for a machine to enrol again or for another one; the token before is void",
  description: "The machine that has enrolled goes on until the token is used: then its key is refused.",
  params: byId,
  response: CreatedCollector,
  errors: ["not_found", "write_conflict"],
});

const CollectorJobState = z
  .enum(["queued", "running", "importing", "done", "failed", "late", "cancelled"])
  .meta({ id: "CollectorJobState" });
export type CollectorJobState = z.infer<typeof CollectorJobState>;

export const CollectorJob = z
  .object({
    id: Id,
    collector_id: Id,
    network_id: Id,
    trigger: z.enum(["schedule", "request"]).meta({ id: "CollectorTrigger" }),
    requested_by: Actor.nullable().describe("Null for the schedule."),
    state: CollectorJobState.describe(
      "`queued`: not fetched yet. `running`: given to the collector. `importing`: its final report is being imported. `late`: " +
        "there was no final report by the deadline, or nobody fetched it: nothing counts as covered. `cancelled`: the settings " +
        "did not allow it any more, or the collector was disabled.",
    ),
    targets: CollectorTargets,
    packets_per_second: z.int(),
    senses: z.array(z.string()),
    created_at: Timestamp,
    started_at: Timestamp.nullable().describe("When it was given to the collector."),
    deadline: Timestamp.describe("By which it must be fetched, and then by which its final report must arrive."),
    ended_at: Timestamp.nullable(),
    reports: z.int(),
    bytes: z.int().describe("Of its reports."),
    import_id: Id.nullable().describe(
      `The import job of its last report, with the plan; kept for ${JOB_DAYS} days, as is this job.`,
    ),
    request_id: z.string().nullable().describe("The `request_id` of the changes of its last report, for a revert."),
    summary: ImportSummary.nullable().describe("What the final report has changed."),
    covered: z.array(z.string()).describe("Blocks in which every machine would have answered."),
    error: Refusal.nullable().describe("Why it failed."),
  })
  .meta({ id: "CollectorJob" });
export type CollectorJob = z.infer<typeof CollectorJob>;

export const listCollectorJobs = endpoint({
  ...common,
  upstream: "topology",
  operationId: "list_collector_jobs",
  method: "get",
  path: "/api/v1/collectors/jobs",
  summary: `List the jobs of collectors of the last ${JOB_DAYS} days`,
  query: listQuery(["created_at"], {
    network_id: filters.network_id.describe("Only those in this network."),
    collector_id: Id.optional().describe("Only those of this collector."),
    ids: filters.ids,
  }),
  response: CollectorJob,
  list: true,
  errors: [],
});

export const runCollector = endpoint({
  ...atIdentity,
  operationId: "run_collector",
  method: "post",
  path: "/api/v1/collectors/{id}/run",
  summary: "Let a collector look around now",
  description:
    `At most ${MOST_QUEUED_JOBS} jobs of a collector wait. \`targets\` must lie inside those of the collector, whose exclusions hold in any case; ` +
    "an empty body is for all of them.",
  params: byId,
  body: z
    .object({
      targets: z
        .object({ cidrs: CollectorTargets.shape.cidrs, exclude: CollectorTargets.shape.exclude.default([]) })
        .meta({ id: "CollectorRunTargets" })
        .optional(),
    })
    .meta({ id: "CollectorRunInput" }),
  response: CollectorJob,
  errors: ["not_found", "collector_not_ready", "collector_busy", "write_conflict"],
});

// What a collector itself does. @see docs/collectors.md "For programs"

const version = label(1, 100);
const hostname = label(1, 253);

export const EnrolledCollector = z
  .object({
    collector: Collector,
    key: z
      .string()
      .describe(
        "The bearer token of all further requests, only shown here. Keep it in a file that its owner alone can read.",
      ),
  })
  .meta({ id: "EnrolledCollector" });
export type EnrolledCollector = z.infer<typeof EnrolledCollector>;

export const enrolCollector = endpoint({
  upstream: "identity",
  credential: "none",
  permission: null,
  tag: "Collectors",
  showsSecret: true,
  endsAccess: true,
  operationId: "enrol_collector",
  method: "post",
  path: "/api/v1/collectors/enrol",
  summary: "Enrol a machine as a collector, with the token that its creation returned",
  description:
    "A token is good for one machine and once. If the response is lost, a new one is needed. A machine that was enrolled before " +
    "with an older token loses its key.",
  body: z
    .object({
      token: z.string().max(200),
      hostname: hostname.describe("The name of the machine."),
      version: version.describe("Program and version, such as `nts 1.2.0`."),
      senses: Senses.default([]),
    })
    .meta({ id: "CollectorEnrolment" }),
  response: EnrolledCollector,
  errors: ["enrolment_token_invalid", "write_conflict"],
});

const ofCollector = {
  credential: "any",
  collects: true,
  ofCollector: true,
  permission: "Member",
  tag: "Collectors",
} as const;

export const OwnCollector = z
  .object({
    collector: Collector,
    key_rotates_at: Timestamp.describe("From when on it should replace its key; by the clock of the server."),
    rotate_in_seconds: z.int().describe("The same from now on; 0 for now."),
  })
  .meta({ id: "OwnCollector" });

export const announceCollector = endpoint({
  ...ofCollector,
  upstream: "identity",
  operationId: "announce_collector",
  method: "put",
  path: "/api/v1/collectors/self",
  summary: "Say what the calling collector is and can do",
  description:
    "Send it when the program starts, and whenever a sense begins or ceases to work. A collector that is to replace its key is " +
    "told here, so send it once a day as well.",
  body: z.object({ hostname, version, senses: Senses }).meta({ id: "CollectorAnnouncement" }),
  response: OwnCollector,
  errors: ["write_conflict"],
});

export const rotateCollectorKey = endpoint({
  ...ofCollector,
  upstream: "identity",
  showsSecret: true,
  operationId: "rotate_collector_key",
  method: "post",
  path: "/api/v1/collectors/self/rotate",
  summary: "Replace the key of the calling collector",
  description:
    "Write the new key to the file before using it. The old one is good for another day, so that a machine that loses power in between " +
    "can ask again; the one before that is not.",
  response: z.object({ key: z.string() }).meta({ id: "CollectorKey" }),
  errors: ["write_conflict"],
});

/** What a collector is to do. */
export const CollectorAssignment = z
  .object({
    id: Id.describe("Of the job."),
    senses: z.array(z.string()).describe("Which of its senses to use."),
    targets: CollectorTargets,
    packets_per_second: z.int().describe("Most packets to send in a second, by all senses together."),
    deadline: Timestamp.describe("By which the final report must have arrived."),
    seconds_left: z.int().describe("The same from now on, for a machine whose clock is wrong."),
    is_cancelled: z.boolean().describe("True: stop, send nothing more on the network, and do not report."),
  })
  .meta({ id: "CollectorAssignment" });
export type CollectorAssignment = z.infer<typeof CollectorAssignment>;

export const awaitCollectorJob = endpoint({
  ...ofCollector,
  upstream: "topology",
  operationId: "await_collector_job",
  method: "get",
  path: "/api/v1/collectors/self/jobs",
  waits: true,
  summary: "Wait for a job of the calling collector",
  description:
    "Long polling, so that the collector needs no open port. A job is given to one request only. `data` is null if there is " +
    "none: ask again at once, also when the response arrives before `wait` is over. After a failure wait, at first for seconds and at most for a minute.",
  query: z.strictObject({
    wait: z.int().min(0).max(LONGEST_COLLECTOR_WAIT_SECONDS).default(0).describe("Seconds to wait if there is no job."),
  }),
  response: CollectorAssignment.nullable(),
  errors: ["too_many_in_flight"],
});

export const getOwnCollectorJob = endpoint({
  ...ofCollector,
  upstream: "topology",
  operationId: "get_own_collector_job",
  method: "get",
  path: "/api/v1/collectors/self/jobs/{id}",
  summary: "Ask whether a job of the calling collector is still wanted",
  description:
    "Ask once a minute while working, which also shows that the collector is alive. Stop if `is_cancelled`, and if the key is refused.",
  params: byId,
  response: CollectorAssignment,
  errors: ["not_found"],
});

export const CollectorReceipt = z
  .object({
    job_id: Id,
    state: CollectorJobState.describe("Of the job."),
    import_id: Id.nullable().describe("The import job of this report."),
    reports: z.int(),
    bytes: z.int(),
    is_repeated: z.boolean().describe("It had arrived before, and was not taken again."),
  })
  .meta({ id: "CollectorReceipt" });
export type CollectorReceipt = z.infer<typeof CollectorReceipt>;

export const reportCollectorJob = endpoint({
  ...ofCollector,
  ...upload({
    contentTypes: ["application/x-ndjson", "application/octet-stream"],
    limitBytes: REPORT_BYTES,
    description:
      "A report as `POST /api/v1/imports/report` takes it, in lines of JSON; may be compressed with gzip, of at most 20 MiB of text.",
  }),
  upstream: "topology",
  keyed: true,
  operationId: "report_collector_job",
  method: "post",
  path: "/api/v1/collectors/self/jobs/{id}/reports",
  summary: "Report what the calling collector has found",
  description:
    `Each report is imported when it arrives, so large networks appear in parts: at most ${MOST_REPORTS} reports and ${MOST_REPORTED_BYTES / 1_048_576} MiB for a job. ` +
    "With the final one counts what the ends of all of them say was covered, as far as it lies inside the targets; nothing does if no machine but the collector itself is reported. " +
    "`Idempotency-Key` is required: repeat a report whose response was lost with the same key. When it was seen is decided by the clock of the server. " +
    "After `collector_job_ended` discard the report, and ask for the next job.",
  params: byId,
  query: z.strictObject({
    final: z.boolean().default(false).describe("It ends the job."),
    age_seconds: z
      .int()
      .min(0)
      .max(86_400)
      .default(0)
      .describe(
        "How long ago looking around had ended, if the server could not be reached since; measured by a clock that nobody sets. At most the age of the job counts.",
      ),
  }),
  response: CollectorReceipt,
  errors: ["not_found", "collector_job_ended", "quota_exceeded", "idempotency_mismatch", "payload_too_large"],
});

import { createHash } from "node:crypto";
import { ApiError, type Client, createClient } from "@nts/shared/client";
import {
  announceCollector,
  awaitCollectorJob,
  type CollectorAssignment,
  type CollectorSense,
  enrolCollector,
  getOwnCollectorJob,
  LONGEST_COLLECTOR_WAIT_SECONDS,
  reportCollectorJob,
  rotateCollectorKey,
} from "@nts/shared/contract";
import { EXIT, Problem } from "../terminal.js";
import type { Identity } from "./state.js";

// What an agent asks of the server. Nothing depends on the clock of its machine.

/** What the machine is. */
export interface About {
  readonly hostname: string;
  readonly version: string;
  readonly senses: readonly CollectorSense[];
}

export interface ReportPart {
  readonly jobId: string;
  readonly part: number;
  readonly isFinal: boolean;
  readonly ageSeconds: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface Server {
  /** @returns seconds until the key should be replaced */
  announce(about: About): Promise<number>;
  rotateKey(): Promise<string>;
  /** Waits for a job. */
  nextJob(): Promise<CollectorAssignment | null>;
  /** Whether a job is still wanted. */
  isWanted(jobId: string): Promise<boolean>;
  /** @returns what is wrong with the report, as a sentence, if the server will never take it */
  report(part: ReportPart): Promise<string | null>;
}

const ANSWER_MS = 60_000;
const UPLOAD_MS = 600_000;
const NO_RETRIES = { retries: 0 } as const;

/** Refusals of a report that a repetition does not change. */
const FINAL: ReadonlySet<string> = new Set([
  "collector_job_ended",
  "not_found",
  "quota_exceeded",
  "payload_too_large",
  "validation_failed",
  "idempotency_mismatch",
  "import_too_expensive",
]);

/**
 * Enrols this machine.
 *
 * @throws Problem if the token is not valid
 */
export async function enrol(server: string, token: string, about: About, signal: AbortSignal): Promise<Identity> {
  const client = createClient({ baseUrl: server, ...NO_RETRIES });
  const body = { token, ...about, senses: [...about.senses] };
  try {
    const { collector, key } = await client.call(enrolCollector, { body, signal: within(ANSWER_MS, signal) });
    return { server, collector_id: collector.id, key, token_sha256: hashOf(token) };
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "enrolment_token_invalid")) throw error;
    const why = {
      used: "has been used, by this machine or by another one. A token is good for one machine: each further one needs a collector of its own",
      expired: "has expired",
    }[String(error.params["reason"])];
    throw new Problem(
      EXIT.forbidden,
      `The token ${why ?? "is not valid"}. Get a new one in the console, on the page Collectors.`,
    );
  }
}

export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** @param signal ends all requests */
export function createServer({ server, key }: Identity, signal: AbortSignal): Server {
  const client: Client = createClient({ baseUrl: server, apiKey: key, ...NO_RETRIES });
  return {
    announce: async (about) => {
      const body = { ...about, senses: [...about.senses] };
      const { rotate_in_seconds: seconds } = await client.call(announceCollector, {
        body,
        signal: within(ANSWER_MS, signal),
      });
      return seconds;
    },
    rotateKey: async () => (await client.call(rotateCollectorKey, { signal: within(ANSWER_MS, signal) })).key,
    nextJob: () => {
      const query = { wait: LONGEST_COLLECTOR_WAIT_SECONDS };
      const longest = ANSWER_MS + LONGEST_COLLECTOR_WAIT_SECONDS * 1_000;
      return client.call(awaitCollectorJob, { query, signal: within(longest, signal) });
    },
    isWanted: async (id) => {
      const job = await client.call(getOwnCollectorJob, { params: { id }, signal: within(ANSWER_MS, signal) });
      return !job.is_cancelled;
    },
    report: async ({ jobId, part, isFinal, ageSeconds, body }) => {
      try {
        await client.call(reportCollectorJob, {
          params: { id: jobId },
          query: { final: isFinal, age_seconds: ageSeconds },
          body,
          // The same whenever this part is sent.
          idempotencyKey: `${jobId}-${part}`,
          signal: within(UPLOAD_MS, signal),
        });
        return null;
      } catch (error) {
        if (error instanceof ApiError && FINAL.has(error.code)) return `${error.message} (${error.code})`;
        throw error;
      }
    },
  };
}

function within(ms: number, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}

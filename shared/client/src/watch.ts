import { createParser, type EventSourceMessage } from "eventsource-parser";
import { ApiError } from "./api-error.js";
import { BOOKMARK_SECONDS, OPERATIONS } from "./contract.generated.js";
import { pause } from "./pause.js";
import type { Transport } from "./transport.js";
import type { DataOf, QueryOf } from "./types.js";

// Follows changes. Broken connections resume where they stopped, so that no change is skipped or repeated; what cannot
// be resumed is reported as an event.

export type Change = DataOf<"list_changes">[number];

/** A change as needed to identify an entity. */
export type State = Pick<Change, "entity" | "entity_id" | "network_id" | "host_id" | "name" | "after">;

export type WatchEvent =
  /** The state of an entity; only with `initial`, before the first bookmark. */
  | { readonly type: "state"; readonly state: State }
  | { readonly type: "change"; readonly cursor: string; readonly change: Change }
  /** Everything up to this cursor has come: the one to keep, for the next `watch({ after })`. */
  | { readonly type: "bookmark"; readonly cursor: string }
  /**
   * What is held may be more or less than what the caller may see. With `initial` all of it comes again from here;
   * without, read it anew.
   */
  | { readonly type: "reset"; readonly reason: "rights_changed" | "changes_gone" | "interrupted" };

export type WatchOptions = QueryOf<"stream_changes"> & {
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
};

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** Without even a bookmark for this long, the connection is considered dead. */
const SILENCE_MS = 3 * BOOKMARK_SECONDS * 1_000;

/** The position of a follower. */
interface Place {
  /** Undefined before the first bookmark of `initial` and before the first change. */
  cursor: string | undefined;
  /** States have been delivered that no bookmark has confirmed yet. */
  isBeginning: boolean;
  failures: number;
}

/** @throws ApiError for permanent failures, such as a revoked key */
export async function* watch(
  transport: Pick<Transport, "open">,
  { signal, ...query }: WatchOptions,
): AsyncGenerator<WatchEvent, void, void> {
  for await (const event of follow(transport, query, signal)) {
    // Others may have come with the event at which the caller aborted.
    if (signal?.aborted === true) return;
    yield event;
  }
}

/** One connection after another. */
async function* follow(
  transport: Pick<Transport, "open">,
  query: Omit<WatchOptions, "signal">,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent, void, void> {
  const place: Place = { cursor: query.after, isBeginning: false, failures: 0 };
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    try {
      yield* followOnce(transport, query, place, signal);
    } catch (error) {
      if (isOver()) return;
      if (!(error instanceof ApiError)) throw error;
      if (isGone(error) && query.initial === true && place.cursor !== undefined) {
        place.cursor = undefined;
        yield { type: "reset", reason: "changes_gone" };
      } else if (!isPassing(error)) throw error;
    }
    if (place.isBeginning) {
      place.isBeginning = false;
      yield { type: "reset", reason: "interrupted" };
    }
    await pause(waitMs(place.failures), signal).catch(() => undefined);
    place.failures += 1;
  }
}

/** One connection, until it ends. */
async function* followOnce(
  transport: Pick<Transport, "open">,
  query: Omit<WatchOptions, "signal">,
  place: Place,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent, void, void> {
  const silent = new AbortController();
  const either = signal === undefined ? silent.signal : AbortSignal.any([signal, silent.signal]);
  const { cursor } = place;
  try {
    const timer = setTimeout(() => silent.abort(), SILENCE_MS);
    const response = await transport
      .open(OPERATIONS.stream_changes, {
        query: { ...query, after: cursor },
        ...(cursor !== undefined && { lastEventId: cursor }),
        signal: either,
      })
      .finally(() => clearTimeout(timer));
    for await (const message of messagesOf(response, silent)) {
      const event = eventOf(message);
      if (event === null) continue;
      place.failures = 0;
      place.isBeginning = event.type === "state";
      if ("cursor" in event) place.cursor = event.cursor;
      if (event.type === "reset" && query.initial === true) place.cursor = undefined;
      yield event;
    }
  } catch (error) {
    // Disconnected or silent for too long: the next connection resumes here.
    if (error instanceof ApiError) throw error;
  } finally {
    silent.abort();
  }
}

async function* messagesOf(
  { body }: Response,
  silent: AbortController,
): AsyncGenerator<EventSourceMessage, void, void> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  for (;;) {
    const timer = setTimeout(() => silent.abort(), SILENCE_MS);
    const next = await reader?.read().finally(() => clearTimeout(timer));
    if (next?.value === undefined) return;
    parser.feed(decoder.decode(next.value, { stream: true }));
    yield* messages.splice(0);
  }
}

/** Null for events that carry nothing for followers. */
function eventOf({ event, id, data }: EventSourceMessage): WatchEvent | null {
  const value = JSON.parse(data) as unknown;
  if (event === "state") return { type: "state", state: value as State };
  if (event === "change") return { type: "change", cursor: id ?? "", change: value as Change };
  if (event === "bookmark") return { type: "bookmark", cursor: id ?? "" };
  const isOfRights = event === "end" && (value as { code: string }).code === "rights_changed";
  return isOfRights ? { type: "reset", reason: "rights_changed" } : null;
}

/** The cursor is no longer valid. */
function isGone({ code }: ApiError): boolean {
  return code === "changes_gone" || code === "cursor_invalid";
}

/** The failure is temporary: 501 lasts until the operator changes a setting. */
function isPassing({ status }: ApiError): boolean {
  return status === 0 || status === 429 || (status >= 500 && status !== 501);
}

/** Randomized by half, so that clients that were disconnected together do not reconnect together. */
function waitMs(failures: number): number {
  const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** failures);
  return ms / 2 + (Math.random() * ms) / 2;
}

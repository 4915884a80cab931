import { type Change, listChanges, type STREAM_ENDS, streamChanges } from "@nts/shared/contract";
import { api } from "../api/client.js";
import { pause } from "./pause.js";

/** Changes received together, and the cursor after them. */
export interface Followed {
  /** Null if the caller's visible scope has changed. */
  readonly changes: readonly Change[] | null;
  readonly cursor: string;
}

/** Milliseconds to batch changes, so that they are rendered together. */
const GATHER_MS = 100;

/** Yields changes after a cursor until aborted. @throws the API's failure if the stream is rejected */
export async function* follow(after: string, signal: AbortSignal): AsyncGenerator<Followed, void, void> {
  const stream = openStream(after);
  signal.addEventListener("abort", stream.close);
  try {
    for (let cursor = after; ;) {
      await stream.event();
      if (signal.aborted) return;
      await pause(GATHER_MS, signal);
      const { isRefused, ...followed } = stream.take();
      cursor = followed.cursor;
      yield followed;
      if (isRefused) await failAsTheApi(cursor, signal);
    }
  } finally {
    stream.close();
  }
}

interface Stream {
  /** Resolves if something arrived since the last {@link Stream.take}, or the stream is closed. */
  event(): Promise<void>;
  /** What has arrived; `isRefused` if the browser will not reconnect. */
  take(): Followed & { readonly isRefused: boolean };
  close(): void;
}

/** Uses `EventSource`, which reconnects from the last event. */
function openStream(after: string): Stream {
  const source = new EventSource(`${streamChanges.path}?${new URLSearchParams({ after }).toString()}`);
  let changes: Change[] | null = [];
  let cursor = after;
  let hasCome = false;
  let wake = (): void => undefined;
  const note = (): void => {
    hasCome = true;
    wake();
  };
  source.addEventListener("change", ({ data, lastEventId }: MessageEvent<string>) => {
    changes?.push(JSON.parse(data) as Change);
    cursor = lastEventId;
    note();
  });
  source.addEventListener("bookmark", ({ lastEventId }: MessageEvent<string>) => {
    cursor = lastEventId;
    note();
  });
  source.addEventListener("end", ({ data }: MessageEvent<string>) => {
    const { code } = JSON.parse(data) as { code: string };
    if (code !== ("rights_changed" satisfies keyof typeof STREAM_ENDS)) return;
    changes = null;
    note();
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) note();
  });
  return {
    event: () => (hasCome ? Promise.resolve() : new Promise((resolve) => (wake = resolve))),
    take: () => {
      const taken = { changes, cursor, isRefused: source.readyState === EventSource.CLOSED };
      [changes, hasCome] = [[], false];
      return taken;
    },
    close: () => {
      source.close();
      note();
    },
  };
}

/** `EventSource` does not expose failures, so an ordinary request finds out the reason. */
async function failAsTheApi(after: string, signal: AbortSignal): Promise<never> {
  await api.changes(listChanges, { query: { after, limit: 1 }, signal });
  throw new Error("the stream was refused");
}

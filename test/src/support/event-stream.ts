/** Reads Server-Sent Events like a browser, but without reconnecting. */

export interface StreamedEvent {
  readonly event: string;
  /** Null when absent. */
  readonly id: string | null;
  readonly data: never;
  /** `performance.now()` at its arrival. */
  readonly at: number;
}

export interface EventStream {
  readonly status: number;
  readonly headers: Headers;
  /** Of a response that is not a stream. */
  readonly text: string;
  readonly events: readonly StreamedEvent[];
  /** The data of the events of a kind. */
  data<Data>(event: string): Data[];
  /** The last event id. */
  lastId(): string | null;
  /** True when it ended properly; false when it was cut, or closed by the client. */
  readonly ended: Promise<boolean>;
  isOpen(): boolean;
  close(): void;
}

/** Opens a stream. @param onEvent called with each event on arrival */
export async function openEventStream(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  onEvent: (event: StreamedEvent) => void = () => undefined,
): Promise<EventStream> {
  const closing = new AbortController();
  const response = await fetch(url, { headers: { accept: "text/event-stream", ...headers }, signal: closing.signal });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const events: StreamedEvent[] = [];
  let isOpen = isStream;
  const text = isStream ? "" : await response.text();
  const ended = (async () => {
    if (!isStream || response.body === null) return true;
    try {
      for await (const event of eventsIn(response.body)) {
        events.push(event);
        onEvent(event);
      }
      return true;
    } catch {
      return false;
    } finally {
      isOpen = false;
    }
  })();
  return {
    ...{ status: response.status, headers: response.headers, text, events, ended },
    data: (kind) => events.filter(({ event }) => event === kind).map(({ data }) => data),
    lastId: () => events.findLast(({ id }) => id !== null)?.id ?? null,
    isOpen: () => isOpen,
    close: () => {
      closing.abort();
    },
  };
}

async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent> {
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + piece).split("\n\n");
    rest = parts.pop() ?? "";
    yield* parts.map(eventOf).filter((event) => event !== null);
  }
}

/** A dispatched event; null for one without data. */
function eventOf(text: string): StreamedEvent | null {
  const fields = new Map(
    text.split("\n").map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
  );
  const data = fields.get("data");
  if (data === undefined) return null;
  const at = performance.now();
  return { event: fields.get("event") ?? "message", id: fields.get("id") ?? null, data: JSON.parse(data) as never, at };
}

/** The text of a response; of a stream, its first chunk. */
export async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) return response.text();
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return Buffer.from(first?.value ?? []).toString();
}

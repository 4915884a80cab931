/** A receiver of spans from OpenTelemetry's exporter: OTLP over HTTP, in JSON. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A received span; `process` is the name of the service that sent it. */
export interface ReceivedSpan {
  readonly process: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined when the trace began with this span. */
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 for an error. */
  readonly status: number | undefined;
}

export interface OtlpReceiver {
  /** Base URL, for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Everything that was received, unparsed. */
  text(): string;
  stop(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, "process" | "attributes" | "status"> & {
        readonly attributes: readonly Attribute[];
        readonly status: { readonly code?: number };
      })[];
    }[];
  }[];
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const texts: string[] = [];
  const server = createServer((request, response) => {
    readAll(request).then(
      (text) => {
        texts.push(`${request.url ?? ""} ${JSON.stringify(request.headers)} ${text}`);
        if (request.url === "/v1/traces") spans.push(...spansOf(JSON.parse(text) as Export));
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      },
      () => undefined,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => texts.join("\n"),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spansOf({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId, name, attributes, status }) => ({
        process: String(valuesOf(resource.attributes)["service.name"]),
        ...{ traceId, spanId, parentSpanId, name },
        attributes: valuesOf(attributes),
        status: status.code,
      })),
    ),
  );
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request) text += String(piece);
  return text;
}

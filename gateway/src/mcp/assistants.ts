import type { IncomingHttpHeaders } from "node:http";
import { endpoint } from "@nts/shared/contract";
import { isOfType } from "@nts/shared/contract/upload";
import { AppError, validationFailed } from "@nts/shared/errors";
import { excessOf } from "@nts/shared/http/json-bounds";
import type { Listener } from "@nts/shared/http/server";
import { onceItWorks } from "@nts/shared/once";
import { createShares } from "@nts/shared/scheduling/shares";
import { z } from "zod";
import type { Caller } from "../authenticate/caller.js";
import { PRIVATE_FIELDS } from "../edge/response-headers.js";
import type { Exchange } from "../edge/exchange.js";
import type { InFlight } from "../edge/in-flight.js";
import { readSmallBody } from "../edge/small-body.js";
import { createInnerFetch } from "./inner-fetch.js";

// `POST /mcp`: the Model Context Protocol. It passes through the pipeline like any request, and so do the API requests
// of its tools.

/** Maximum bytes of a message. */
export const MOST_MESSAGE_BYTES = 65_536;

/** Messages of an organization that a gateway handles at the same time; others wait, up to a number. */
export const HANDLED_OF_ORGANIZATION = { operations: 4, waiting: 64 };

/** Longer than any API request may take. */
const MOST_MS = 20_000;

/** Not an operation of the contract: its messages follow their own protocol. */
export const MCP = endpoint({
  operationId: "mcp",
  method: "post",
  path: "/mcp",
  upstream: "gateway",
  credential: "any",
  permission: "Viewer",
  tag: "Assistants",
  summary: "A message of the Model Context Protocol",
  response: z.unknown(),
  errors: [],
});

/** Responds to a message. @throws AppError if it is unreadable, has no API key, or too many of its organization wait */
export type Assistants = (exchange: Exchange, caller: Caller) => Promise<void>;

/** @param serve handles requests of the public server, including those of tools */
export function createAssistants(inFlight: InFlight, serve: Listener): Assistants {
  // Loaded on first use, because most gateways never need it.
  const load = onceItWorks(async () =>
    (await import("./assistants-server.js")).createAssistantsServer(createInnerFetch(serve)),
  );

  const shares = createShares(HANDLED_OF_ORGANIZATION);

  return async (exchange, { principal }) => {
    if (principal.kind !== "key") throw new AppError("not_authenticated");
    const { bytes, message } = await readMessage(exchange, inFlight);
    const { headers } = exchange.request;
    const handler = await load();
    const token = headers.authorization ?? "";
    const authInfo = {
      token,
      clientId: principal.credentialId,
      scopes: [],
      extra: { address: exchange.clientAddress },
    };
    const handle = async () => {
      const request = new Request("http://gateway.internal/mcp", {
        ...{ method: "POST", headers: protocolHeaders(headers), body: bytes },
        signal: AbortSignal.timeout(MOST_MS),
      });
      const response = await handler.fetch(request, { authInfo, parsedBody: message });
      return { response, text: await response.text() };
    };
    const { response, text } = await shares.use(principal.scope.organizationId, handle);
    const fields = PRIVATE_FIELDS.copy().add("Content-Length", Buffer.byteLength(text));
    const type = response.headers.get("content-type");
    if (type !== null) fields.add("Content-Type", type);
    exchange.respond(response.status, fields, text);
  };
}

/** As it arrived, and parsed. */
interface Message {
  readonly bytes: Buffer;
  readonly message: unknown;
}

/** Reads a single message; a batch would be many requests for the price of one. */
async function readMessage(exchange: Exchange, inFlight: InFlight): Promise<Message> {
  const bytes = await readSmallBody(exchange, inFlight, MOST_MESSAGE_BYTES);
  if (!isOfType(exchange.request.headers["content-type"], ["application/json"]))
    throw new AppError("unsupported_media_type");
  const message = parsed(bytes);
  if (typeof message !== "object" || message === null || Array.isArray(message))
    throw validationFailed({ path: "", message: "must be one message" });
  if ((message as { method?: unknown }).method === "subscriptions/listen")
    throw validationFailed({ path: "method", message: "this server sends no notifications" });
  return { bytes, message };
}

/** @throws AppError `validation_failed` (too deep, too many values) · `malformed_json` */
function parsed(bytes: Buffer): unknown {
  const excess = excessOf(bytes);
  if (excess !== null) throw validationFailed({ path: "", message: excess });
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw new AppError("malformed_json", {}, error);
  }
}

/** The protocol's headers, without the credential. */
function protocolHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const isOfProtocol = (name: string): boolean =>
    name === "accept" || name === "content-type" || name.startsWith("mcp-");
  const entries = Object.entries(headers).filter(([name, value]) => isOfProtocol(name) && typeof value === "string");
  return Object.fromEntries(entries) as Record<string, string>;
}

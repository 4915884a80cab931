import { Resolver } from "node:dns/promises";
import { type ClientRequest, type IncomingMessage, request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { WebhookFault } from "@nts/shared/contract";
import { SERVER_VERSION } from "@nts/shared/version";
import { type AddressGuard, hostOf } from "./guard.js";

/** Timeout of a delivery in milliseconds. */
export const DELIVERY_MS = 10_000;
const NAMES_MS = 2_000;
/** Maximum bytes of a response that are read; the content is ignored. */
const RESPONSE_BYTES = 16_384;

/** Resolves all addresses of a name. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Timeout in milliseconds. */
  readonly withinMs: number;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
}

/** The result of a delivery; successful if the status is 2xx. */
export interface Outcome {
  readonly status: number | null;
  readonly error: WebhookFault | null;
  readonly durationMs: number;
}

export type Send = (sending: Sending) => Promise<Outcome>;

/** Creates the sender. Each name is resolved once, and the connection uses the checked address (no DNS rebinding). */
export function createSend(guard: AddressGuard, resolve: ResolveName = addressesOf): Send {
  return async ({ url: text, withinMs, signal, ...message }) => {
    const startedAt = performance.now();
    const url = new URL(text);
    const ended = (status: number | null, error: WebhookFault | null): Outcome => {
      return { status, error, durationMs: Math.round(performance.now() - startedAt) };
    };
    const until = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
    const isLate = (): boolean => until.aborted;
    const host = hostOf(url);
    const addresses = isIP(host) === 0 ? await inTime(resolve(host), until).catch(() => []) : [host];
    if (isLate()) return ended(null, "timeout");
    const [address] = addresses;
    // One disallowed address is enough to refuse: no legitimate name resolves to both.
    if (address === undefined || !addresses.every((one) => guard.allows(one, url.protocol)))
      return ended(null, "no_address");
    try {
      const status = await post(url, { ...message, address, until });
      return ended(status, status >= 200 && status < 300 ? null : "refused");
    } catch (error) {
      return ended(null, isLate() ? "timeout" : faultOf(error));
    }
  };
}

/** Rejects on timeout, since name servers may never respond. */
function inTime<T>(found: Promise<T>, until: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    until.addEventListener("abort", reject, { once: true });
    found.then(resolve, reject);
  });
}

/** IPv4 first. Unlike `lookup`, it ignores `/etc/hosts`, and does not block a thread on a silent name server. */
const addressesOf: ResolveName = async (name) => {
  const resolver = new Resolver({ timeout: NAMES_MS, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
};

interface Posting extends Pick<Sending, "headers" | "body"> {
  readonly address: string;
  readonly until: AbortSignal;
}

/** @returns the status of the response; redirects are not followed */
function post(url: URL, { address, headers, body, until }: Posting): Promise<number> {
  const family = isIP(address);
  const pinned: LookupFunction = (_name, { all }, found) => {
    if (all === true) found(null, [{ address, family }]);
    else found(null, address, family);
  };
  const options: RequestOptions = {
    method: "POST",
    headers: {
      "user-agent": `network-topology-service/${SERVER_VERSION}`,
      "content-length": Buffer.byteLength(body),
      ...headers,
    },
    agent: false,
    lookup: pinned,
    signal: until,
  };
  return new Promise((resolve, reject) => {
    const begin = url.protocol === "https:" ? httpsRequest : httpRequest;
    const request: ClientRequest = begin(url, options, (response) => {
      readToEnd(response, request).then(() => resolve(response.statusCode ?? 0), reject);
    });
    request.on("error", reject).end(body);
  });
}

/** Reads a response to its end or its maximum length. */
async function readToEnd(response: IncomingMessage, request: ClientRequest): Promise<void> {
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > RESPONSE_BYTES) break;
  }
  request.destroy();
}

function faultOf(error: unknown): WebhookFault {
  const { code = "" } = error as { code?: string };
  if (/^HPE_|^ERR_STREAM|ECONNRESET/.test(code)) return "broken_answer";
  return /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY|EPROTO/.test(code) ? "tls_failed" : "no_connection";
}

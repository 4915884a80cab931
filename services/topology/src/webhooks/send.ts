import { Resolver } from "node:dns/promises";
import { type ClientRequest, type IncomingMessage, request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { WebhookFault } from "@nts/shared/contract";
import { SERVER_VERSION } from "@nts/shared/version";
import { type AddressGuard, hostOf } from "./guard.js";

/** Milliseconds for all of a delivery. */
export const DELIVERY_MS = 10_000;
const NAMES_MS = 2_000;
/** Bytes of an answer that are read; they mean nothing. */
const ANSWER_BYTES = 16_384;

/** Every address that a name has. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

export interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds for all of it. */
  readonly withinMs: number;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
}

/** What came of a message. Delivered is what was answered with 2xx. */
export interface Outcome {
  readonly status: number | null;
  readonly error: WebhookFault | null;
  readonly durationMs: number;
}

export type Send = (sending: Sending) => Promise<Outcome>;

/** Makes what sends messages. A name is asked for once for each, and the connection goes to the address that was judged. */
export function createSend(guard: AddressGuard, resolve: ResolveName = addressesOf): Send {
  return async ({ url: text, withinMs, signal, ...message }) => {
    const begun = performance.now();
    const url = new URL(text);
    const ended = (status: number | null, error: WebhookFault | null): Outcome => {
      return { status, error, durationMs: Math.round(performance.now() - begun) };
    };
    const until = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
    const isLate = (): boolean => until.aborted;
    const host = hostOf(url);
    const addresses = isIP(host) === 0 ? await inTime(resolve(host), until).catch(() => []) : [host];
    if (isLate()) return ended(null, "timeout");
    const [address] = addresses;
    // One that may not be sent to spoils the others: a name has no business to lead to both.
    if (address === undefined || !addresses.every((one) => guard.allows(one, url.protocol))) return ended(null, "no_address"); // prettier-ignore
    try {
      const status = await post(url, { ...message, address, until });
      return ended(status, status >= 200 && status < 300 ? null : "refused");
    } catch (error) {
      return ended(null, isLate() ? "timeout" : faultOf(error));
    }
  };
}

/** Rejects when the time is up: the name servers of a domain may never answer. */
function inTime<T>(found: Promise<T>, until: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    until.addEventListener("abort", reject, { once: true });
    found.then(resolve, reject);
  });
}

/** IPv4 first. Names of this machine alone are not known here, and a server of names that is silent occupies no thread. */
const addressesOf: ResolveName = async (name) => {
  const resolver = new Resolver({ timeout: NAMES_MS, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
};

interface Posting extends Pick<Sending, "headers" | "body"> {
  readonly address: string;
  readonly until: AbortSignal;
}

/** @returns the status of the answer; a redirect is one like any other, and is not followed */
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

/** Reads an answer until its end, or until it is long enough. */
async function readToEnd(response: IncomingMessage, request: ClientRequest): Promise<void> {
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > ANSWER_BYTES) break;
  }
  request.destroy();
}

function faultOf(error: unknown): WebhookFault {
  const { code = "" } = error as { code?: string };
  if (/^HPE_|^ERR_STREAM|ECONNRESET/.test(code)) return "broken_answer";
  return /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY|EPROTO/.test(code) ? "tls_failed" : "no_connection";
}

/** Many requests over the gateways of a test, and the rate limit in the responses. */
import type { IsolatedGateways } from "./isolated-gateways.js";
import type { StubCredential } from "./service-stub.js";

/** The rate limit headers of a response. */
export interface RateLimitLevel {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

export function levelOf({ headers }: Response): RateLimitLevel {
  const number = (name: string): number => Number(headers.get(`x-ratelimit-${name}`));
  return { limit: number("limit"), remaining: number("remaining"), reset: number("reset") };
}

/** Sends a request to the gateway of this turn. */
export function sendTo(
  { gateways }: IsolatedGateways,
  turn: number,
  headers: Readonly<Record<string, string>>,
  path = "/api/v1/networks/x",
): Promise<Response> {
  return fetch((gateways[turn % gateways.length]?.url ?? "") + path, { headers });
}

export interface SentRequests {
  readonly responses: readonly Response[];
  readonly bodies: readonly object[];
  /** Responses with 200. */
  readonly passed: number;
  /** From the first request to the last response. */
  readonly seconds: number;
}

/** Sends concurrent requests, over all gateways in turn. */
export async function sendMany(
  world: IsolatedGateways,
  count: number,
  { headers }: StubCredential,
): Promise<SentRequests> {
  const startedAt = performance.now();
  const responses = await Promise.all(Array.from({ length: count }, (_, turn) => sendTo(world, turn, headers)));
  const bodies = (await Promise.all(responses.map((response) => response.json()))) as object[];
  const passed = responses.filter(({ status }) => status === 200).length;
  return { responses, bodies, passed, seconds: (performance.now() - startedAt) / 1000 };
}

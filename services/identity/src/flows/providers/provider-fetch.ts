import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import { AppError } from "@nts/shared/errors";
import { limited } from "@nts/shared/http/limited";

// Requests to providers. Their URLs come from operators, so private addresses are allowed; size, time and concurrency
// are bounded, and a hanging provider blocks no other request.

/** Maximum milliseconds of a request. */
const REQUEST_MS = 3_000;
const MOST_BYTES = 262_144;
const AT_A_TIME = 8;
const MOST_WAITING = 64;

/** Sends a request to a provider. @throws AppError `provider_unavailable` · `provider_failed` */
export type ProviderFetch = (url: string, options?: RequestInit) => Promise<Response>;

/** Of one provider. */
export function createProviderFetch(): ProviderFetch {
  const run = createFairQueue({ atATime: AT_A_TIME, mostWaiting: MOST_WAITING, longestWaitMs: REQUEST_MS }).run;
  return (url, options = {}) =>
    run(async () => {
      const signals = [AbortSignal.timeout(REQUEST_MS), ...(options.signal ? [options.signal] : [])];
      try {
        const signal = AbortSignal.any(signals);
        const response = await fetch(url, { ...options, redirect: "manual", signal });
        const { status, headers } = response;
        if (status >= 500)
          throw new AppError("provider_unavailable", {}, `${new URL(url).pathname} returned ${status}`);
        const body = await textOf(response);
        return new Response(status === 204 || status === 304 ? null : body, { status, headers });
      } catch (error) {
        throw error instanceof AppError ? error : new AppError("provider_unavailable", {}, error);
      }
    });
}

async function textOf(response: Response): Promise<string> {
  const body = (response.body ?? []) as AsyncIterable<Uint8Array>;
  const excess = (): AppError => new AppError("provider_failed", {}, "the response is too long");
  const pieces: Uint8Array[] = [];
  for await (const piece of limited(body, MOST_BYTES, excess)) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

import { setTimeout as sleep } from "node:timers/promises";
import { StartProblem } from "../start-problem.js";

/** A failed response; `code` is the API's error code. */
export class ApiRefusal extends StartProblem {
  constructor(
    readonly status: number,
    readonly code: string,
    call: string,
    details: string,
  ) {
    super(`The demo could not be created: ${call} returned ${status} ${code}${details}.`);
  }
}

/** A client of the public API that keeps its credential. */
export interface DemoApi {
  get<T>(path: string): Promise<T>;
  /** @param body XML if it is a string, otherwise JSON @param comment reason for the change */
  post<T>(path: string, body: unknown, comment?: string): Promise<T>;
  patch<T>(path: string, body: unknown, comment?: string): Promise<T>;
  delete<T>(path: string, comment?: string): Promise<T>;
  /** Uses this API key instead of the session from now on. */
  useKey(key: string): void;
}

export interface DemoApiOptions {
  readonly baseUrl: string;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

interface Sent {
  readonly body?: unknown;
  readonly comment?: string | undefined;
}

/** A client that keeps its session cookie, and waits as the rate limit requires. */
export function createDemoApi({ baseUrl, report, signal }: DemoApiOptions): DemoApi {
  let credential: Record<string, string> = {};

  async function call<T>(method: string, path: string, { body, comment }: Sent = {}): Promise<T> {
    for (;;) {
      const response = await send(method, path, { body, comment });
      if (response.status === 429) {
        const seconds = Number(response.headers.get("retry-after") ?? 1);
        report(`  the rate limit asks to wait ${seconds} s …`);
        await response.arrayBuffer();
        await sleep(seconds * 1000, undefined, { signal });
        continue;
      }
      rememberSession(response);
      return await dataOf<T>(response, `${method} ${path}`);
    }
  }

  async function send(method: string, path: string, { body, comment }: Sent): Promise<Response> {
    const isXml = typeof body === "string";
    const type = method === "PATCH" ? "application/merge-patch+json" : isXml ? "application/xml" : "application/json";
    const headers = {
      ...credential,
      "content-type": type,
      ...(comment !== undefined && { "change-comment": comment }),
    };
    const content = body === undefined ? {} : { body: isXml ? body : JSON.stringify(body) };
    try {
      return await fetch(`${baseUrl}${path}`, { method, headers, signal, ...content });
    } catch {
      throw new StartProblem(`The demo could not be created: the gateway did not respond to ${method} ${path}.`);
    }
  }

  function rememberSession(response: Response): void {
    const cookie = response.headers.getSetCookie().find((line) => line.startsWith("session_id="));
    if (cookie !== undefined) credential = { cookie: cookie.split(";")[0] ?? "" };
  }

  return {
    get: (path) => call("GET", path),
    post: (path, body, comment) => call("POST", path, { body, comment }),
    patch: (path, body, comment) => call("PATCH", path, { body, comment }),
    delete: (path, comment) => call("DELETE", path, { comment }),
    useKey(key) {
      credential = { authorization: `Bearer ${key}` };
    },
  };
}

interface Envelope {
  readonly success?: boolean;
  readonly data?: unknown;
  readonly code?: string;
  readonly params?: unknown;
}

async function dataOf<T>(response: Response, call: string): Promise<T> {
  const text = await response.text();
  const envelope = parse(text);
  if (envelope?.success === true) return envelope.data as T;
  const details = envelope?.params === undefined ? "" : ` ${JSON.stringify(envelope.params)}`;
  throw new ApiRefusal(response.status, envelope?.code ?? "without an envelope", call, details);
}

function parse(text: string): Envelope | null {
  try {
    return JSON.parse(text) as Envelope;
  } catch {
    return null;
  }
}

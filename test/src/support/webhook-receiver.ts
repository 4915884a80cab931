/** A receiver of webhooks on this machine that can be stopped and restarted, and verifies signatures like users. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

export interface Received {
  readonly path: string;
  readonly id: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The content, if it was verified on arrival. */
  readonly content?: StandardMessage<unknown>;
}

/** A message of the format `standard`. */
export interface StandardMessage<Data> {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Data;
}

export interface Receiver {
  url(path: string): string;
  /** The messages at a path, in order. */
  received(path: string): readonly Received[];
  /** Verifies messages at a path as they arrive: signatures are valid for five minutes. */
  verify(path: string, secret: string): void;
  /** Sets the response at a path; 200 by default. */
  respondWith(path: string, status: number | "silence"): void;
  /** Stops listening. */
  stopListening(): Promise<void>;
  listenAgain(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const all: Received[] = [];
  const statuses = new Map<string, number | "silence">();
  const secrets = new Map<string, string>();
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;

  function listen(onPort: number): Promise<Server> {
    const made = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        const path = request.url ?? "";
        const status = statuses.get(path) ?? 200;
        if (status === "silence") return;
        const headers = request.headers as Record<string, string>;
        const message = { path, id: headers["webhook-id"] ?? "", body, headers };
        const secret = secrets.get(path);
        if (status === 200) all.push(secret === undefined ? message : { ...message, ...contentOf(secret, message) });
        response.writeHead(status).end();
      });
    });
    return new Promise((resolve, reject) => {
      made.on("error", reject).listen(onPort, "127.0.0.1", () => {
        resolve(made);
      });
    });
  }
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    received: (path) => all.filter((one) => one.path === path),
    verify: (path, secret) => secrets.set(path, secret),
    respondWith: (path, status) => statuses.set(path, status),
    stopListening: close,
    listenAgain: async () => {
      server = await listen(port);
    },
    stop: close,
  };
}

function contentOf(secret: string, message: Received): Pick<Received, "content"> {
  try {
    return { content: verified(secret, message) };
  } catch {
    return {};
  }
}

/** The content of a message, after verifying its signature. @throws Error when it was not signed with the secret */
export function verified<Data>(secret: string, { body, headers }: Received): StandardMessage<Data> {
  return new Webhook(secret).verify(body, { ...headers }) as StandardMessage<Data>;
}

import { setTimeout as delay } from "node:timers/promises";
import { connect, type ConnectionOptions, ErrorCode, JSONCodec, type NatsConnection, type NatsError } from "nats";
import type { z } from "zod";
import type { Message } from "../contract/messages.js";
import { waitAtMost } from "../lifecycle.js";
import type { Log } from "../log.js";

// The client's own reconnection is off: after a hanging server it leaves several connections behind, each of which
// receives every notice, or none.

/** Carries notices between processes. Notices may be lost, so nothing may depend on them. */
export interface Bus {
  /** Sends a notice, or drops it while the bus is unreachable or closing. */
  publish<P extends z.ZodType>(message: Message<P>, payload: z.infer<P>): void;
  /** Calls the handler for each notice, also after reconnections; malformed notices are dropped. */
  subscribe<P extends z.ZodType>(message: Message<P>, handler: (payload: z.infer<P>) => void): void;
  isConnected(): boolean;
  close(): Promise<void>;
}

// After two unanswered pings of 500 ms; detects a hanging server in about 1.5 s.
const OPTIONS = { pingInterval: 500, maxPingOut: 2, reconnect: false, timeout: 2_000 };
const RETRY_MS = 250;
const DRAIN_MS = 1_000;

/** The code of errors of a client whose draining ends. */
const DRAINING: string = ErrorCode.ConnectionDraining;

const codec = JSONCodec();

/** Connects in the background with retries, so that processes may start in any order. */
export function createBus(url: string, processName: string, log: Log): Bus {
  const subscriptions: ((connection: NatsConnection) => void)[] = [];
  const closing = new AbortController();
  let connection: NatsConnection | null = null;
  let isAway = false;
  const isClosing = (): boolean => closing.signal.aborted;

  async function stayConnected(): Promise<void> {
    while (!isClosing()) {
      try {
        await connectOnce();
      } catch (error) {
        if (!isAway && !isClosing()) log.warn({ err: error }, "the bus is unavailable");
        isAway = true;
      }
      await delay(RETRY_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  }

  /** Rejects when the connection ends or cannot be made; resolves when the bus is closed. */
  async function connectOnce(): Promise<void> {
    const established = await connect({ ...serversOf(url), ...OPTIONS, name: processName });
    if (isClosing()) return established.close();
    for (const subscribe of subscriptions) subscribe(established);
    connection = established;
    if (isAway) log.warn("the bus is available again");
    isAway = false;
    const error = await established.closed();
    connection = null;
    throw error ?? new Error("the connection to the bus was closed");
  }

  void stayConnected();

  return {
    publish: (message, payload) => {
      if (connection?.isClosed() === false) send(connection, message.subject, codec.encode(payload));
    },
    subscribe: (message, handler) => {
      const subscribe = (established: NatsConnection): void => {
        established.subscribe(message.subject, {
          callback: (_error, received) => {
            const payload = message.payload.safeParse(decode(received.data));
            if (payload.success) handler(payload.data);
          },
        });
      };
      subscriptions.push(subscribe);
      if (connection?.isClosed() === false) subscribe(connection);
    },
    isConnected: () => connection?.isClosed() === false,
    close: async () => {
      closing.abort();
      const established = connection;
      if (established?.isClosed() !== false) return;
      // Draining waits for the server's response, indefinitely if it hangs.
      await waitAtMost(
        DRAIN_MS,
        established.drain().catch(() => undefined),
      );
      void established.close();
    },
  };
}

/** Sends a notice, or drops it at the end of draining, when the client rejects notices though it is not closed yet. */
function send(connection: NatsConnection, subject: string, data: Uint8Array): void {
  try {
    connection.publish(subject, data);
  } catch (error) {
    if ((error as NatsError).code !== DRAINING) throw error;
  }
}

function decode(data: Uint8Array): unknown {
  try {
    return codec.decode(data);
  } catch {
    return null;
  }
}

/** The client takes credentials as options, not from the URL; without `tls` it would accept a server without TLS. */
function serversOf(url: string): Pick<ConnectionOptions, "servers" | "user" | "pass" | "tls"> {
  const urls = url.split(",").map((part) => new URL(part.trim()));
  const [first] = urls;
  return {
    servers: urls.map(({ host }) => host),
    ...(first?.protocol === "tls:" && { tls: {} }),
    ...(first?.username && { user: decodeURIComponent(first.username), pass: decodeURIComponent(first.password) }),
  };
}

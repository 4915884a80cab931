import { setTimeout as delay } from "node:timers/promises";
import { connect, type ConnectionOptions, JSONCodec, type NatsConnection } from "nats";
import type { z } from "zod";
import type { Message } from "../contract/messages.js";
import { waitAtMost } from "../lifecycle.js";
import type { Log } from "../log.js";

// The client connects once and never by itself again: after a server that hung, its own reconnecting leaves several
// connections behind, each of which hears every notice, or none at all.

/** Carries notices between processes. Notices are hints: they may be lost, and nothing may depend on them. */
export interface Bus {
  /** Sends a notice, or drops it while the bus is away. */
  publish<P extends z.ZodType>(message: Message<P>, payload: z.infer<P>): void;
  /** Calls the handler for each notice from now on, also after the bus was away; malformed ones are dropped. */
  subscribe<P extends z.ZodType>(message: Message<P>, handler: (payload: z.infer<P>) => void): void;
  isConnected(): boolean;
  close(): Promise<void>;
}

// Two unanswered pings of 500 ms: a server that hangs without closing its socket is noticed in about 1.5 s.
const OPTIONS = { pingInterval: 500, maxPingOut: 2, reconnect: false, timeout: 2_000 };
const RETRY_MS = 250;
const DRAIN_MS = 1_000;

const codec = JSONCodec();

/** Connects in the background and keeps trying, so that processes may start in any order. */
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

  /** Rejects when the connection has ended, or when there is none; resolves when the bus is being closed. */
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
      if (connection?.isClosed() === false) connection.publish(message.subject, codec.encode(payload));
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
      // Draining waits for the server's answer, for ever if it hangs.
      await waitAtMost(
        DRAIN_MS,
        established.drain().catch(() => undefined),
      );
      void established.close();
    },
  };
}

function decode(data: Uint8Array): unknown {
  try {
    return codec.decode(data);
  } catch {
    return null;
  }
}

/** The client takes credentials as options, not in the URL; without `tls` it would speak to a server that offers none. */
function serversOf(url: string): Pick<ConnectionOptions, "servers" | "user" | "pass" | "tls"> {
  const urls = url.split(",").map((part) => new URL(part.trim()));
  const [first] = urls;
  return {
    servers: urls.map(({ host }) => host),
    ...(first?.protocol === "tls:" && { tls: {} }),
    ...(first?.username && { user: decodeURIComponent(first.username), pass: decodeURIComponent(first.password) }),
  };
}

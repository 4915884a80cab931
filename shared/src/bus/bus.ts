import { connect, Events, JSONCodec, type NatsConnection } from "nats";
import type { z } from "zod";
import type { Message } from "../contract/messages.js";
import type { Log } from "../log.js";

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
const PING = { pingInterval: 500, maxPingOut: 2 };

/** Connects in the background and for ever, so that the order in which processes start does not matter. */
export function createBus(url: string, processName: string, log: Log): Bus {
  const codec = JSONCodec();
  let connection: NatsConnection | null = null;
  let closed = false;
  let up = false;

  const connecting = connect({
    ...serversOf(url),
    ...PING,
    name: processName,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    timeout: 2_000,
  }).then((established) => {
    connection = established;
    up = true;
    if (closed) void established.close();
    else void watch(established);
    return established;
  });
  connecting.catch((error: unknown) => {
    log.error({ err: error }, "bus refused the connection");
  });

  async function watch(established: NatsConnection): Promise<void> {
    for await (const status of established.status()) {
      if (status.type === Events.Disconnect || status.type === Events.Reconnect) {
        up = status.type === Events.Reconnect;
        log.warn({ bus: status.type }, "bus connection changed");
      }
    }
    up = false;
  }

  return {
    publish: (message, payload) => {
      if (connection === null || !up || connection.isClosed()) return;
      connection.publish(message.subject, codec.encode(payload));
    },
    subscribe: (message, handler) => {
      void connecting.then(
        (established) => {
          established.subscribe(message.subject, {
            callback: (_error, received) => {
              const payload = message.payload.safeParse(decode(received.data));
              if (payload.success) handler(payload.data);
            },
          });
        },
        () => undefined,
      );
    },
    isConnected: () => up,
    close: async () => {
      closed = true;
      if (connection !== null && !connection.isClosed()) await (up ? connection.drain() : connection.close());
    },
  };

  function decode(data: Uint8Array): unknown {
    try {
      return codec.decode(data);
    } catch {
      return null;
    }
  }
}

/** The client takes credentials as options, not in the URL. */
function serversOf(url: string): { servers: string[]; user?: string; pass?: string } {
  const urls = url.split(",").map((part) => new URL(part.trim()));
  const [first] = urls;
  const servers = urls.map(({ host }) => host);
  return first === undefined || first.username === ""
    ? { servers }
    : { servers, user: decodeURIComponent(first.username), pass: decodeURIComponent(first.password) };
}

/**
 * A network between two processes that a test can delay, silence, or cut. It runs in a thread of its own, so that the
 * test does not slow it down.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

export interface TcpProxy {
  readonly port: number;
  /** Delays every byte in one direction, so that a round trip takes this much longer; 0 is none. */
  delay(ms: number): Promise<void>;
  /** Drops every byte silently, also on new connections, until it is turned off; dropped bytes are lost. */
  dropAll(isDropping: boolean): Promise<void>;
  /** Resets all connections; new ones are served. */
  cut(): Promise<void>;
  stop(): Promise<void>;
}

interface ProxyCommand {
  readonly delayMs?: number;
  readonly isDropping?: boolean;
  readonly cut?: true;
}

/** Starts one on a free port, towards a port of this machine. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { targetPort } });
  const [port] = (await once(thread, "message")) as [number];
  const send = async (order: ProxyCommand): Promise<void> => {
    thread.postMessage(order);
    await once(thread, "message");
  };
  return {
    port,
    delay: (delayMs) => send({ delayMs }),
    dropAll: (isDropping) => send({ isDropping }),
    cut: () => send({ cut: true }),
    stop: async () => {
      await thread.terminate();
    },
  };
}

function serve(targetPort: number, onReady: (port: number) => void): (order: ProxyCommand) => void {
  const sockets = new Set<Socket>();
  let delayMs = 0;
  let isDropping = false;

  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    join(client, target, () => delayMs);
    join(target, client, () => 0);
  });

  function join(from: Socket, to: Socket, delayOf: () => number): void {
    let passing = Promise.resolve();
    sockets.add(from);
    from.setNoDelay(true);
    from.on("data", (bytes) => {
      if (isDropping) return;
      const due = performance.now() + delayOf();
      // Keeps the order of chunks.
      passing = passing.then(async () => {
        const rest = due - performance.now();
        if (rest > 0) await sleep(rest);
        if (to.writable) to.write(bytes);
      });
    });
    from.on("error", () => to.destroy());
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
  }

  server.listen(0, "127.0.0.1", () => {
    onReady((server.address() as AddressInfo).port);
  });
  return (order) => {
    delayMs = order.delayMs ?? delayMs;
    isDropping = order.isDropping ?? isDropping;
    if (order.cut === true) for (const socket of sockets) socket.resetAndDestroy();
  };
}

const parent = parentPort;
if (!isMainThread && parent !== null) {
  const { targetPort } = workerData as { targetPort?: number };
  if (targetPort !== undefined) {
    const apply = serve(targetPort, (port) => {
      parent.postMessage(port);
    });
    parent.on("message", (order: ProxyCommand) => {
      apply(order);
      parent.postMessage("done");
    });
  }
}

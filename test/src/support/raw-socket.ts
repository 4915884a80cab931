import { once } from "node:events";
import { connect } from "node:net";
import { until } from "./until.js";

/** A connection of which a test controls every byte and its time. */
export interface RawSocket {
  write(bytes: string | Buffer): void;
  /** Everything received so far, one character per byte. */
  received(): string;
  /** Waits until the received text matches. @throws Error on timeout */
  receives(pattern: RegExp): Promise<void>;
  /** Resolves when the peer has closed it. */
  readonly closed: Promise<void>;
  isOpen(): boolean;
  close(): void;
  /** Closes it without the usual farewell. */
  reset(): void;
}

export interface RawSocketOptions {
  /** The local address, such as `127.0.3.1`; chosen by the system when absent. */
  readonly from?: string;
  /** False leaves everything received in the socket buffers. */
  readonly reads?: boolean;
  /** Keeps its side open when the peer has closed its own. */
  readonly holds?: boolean;
}

/** Connects to the host of a URL. @throws Error when nothing accepts the connection */
export async function openRawSocket(
  url: string,
  { from, reads = true, holds = false }: RawSocketOptions = {},
): Promise<RawSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect({
    port: Number(port),
    host: hostname,
    allowHalfOpen: holds,
    ...(from === undefined ? {} : { localAddress: from }),
  });
  let received = "";
  if (reads)
    socket.setEncoding("latin1").on("data", (text: string) => {
      received += text;
    });
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      resolve();
    });
  });
  await once(socket, "connect");
  // A reset connection is closed as well.
  socket.on("error", () => undefined);
  return {
    write: (bytes) => void socket.write(bytes, "latin1"),
    received: () => received,
    receives: (pattern) => until(() => pattern.test(received)),
    closed,
    isOpen: () => !socket.closed,
    close: () => void socket.destroy(),
    reset: () => void socket.resetAndDestroy(),
  };
}

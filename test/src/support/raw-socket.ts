import { once } from "node:events";
import { connect } from "node:net";
import { until } from "./until.js";

/** A connection of which a test decides every byte and its time. */
export interface RawSocket {
  write(bytes: string): void;
  /** All that came so far, a character a byte. */
  received(): string;
  /** Waits until something that matches has come. @throws Error after 10 s */
  receives(pattern: RegExp): Promise<void>;
  /** Resolves when the other side has closed it. */
  readonly closed: Promise<void>;
  isOpen(): boolean;
  close(): void;
}

export interface RawSocketOptions {
  /** The address it comes from, such as `127.0.3.1`; the system chooses one when absent. */
  readonly from?: string;
  /** False leaves everything that is sent to it in the buffers of the operating system. */
  readonly reads?: boolean;
}

/** Connects to where a URL points. @throws Error when nothing accepts the connection */
export async function openRawSocket(url: string, { from, reads = true }: RawSocketOptions = {}): Promise<RawSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect({
    port: Number(port),
    host: hostname,
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
  // A connection that is reset is closed as well.
  socket.on("error", () => undefined);
  return {
    write: (bytes) => void socket.write(bytes, "latin1"),
    received: () => received,
    receives: (pattern) => until(() => pattern.test(received)),
    closed,
    isOpen: () => !socket.closed,
    close: () => void socket.destroy(),
  };
}

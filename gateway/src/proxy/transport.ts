import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Replica } from "@nts/shared/upstream/replicas";

// How a request gets to a service and its answer back. There are two ways, which share everything else: undici's dispatch,
// which costs least, for the topology service, and http-proxy-middleware for the identity service.

/** Connections to one replica; what does not get one at once waits for it. */
export const MOST_CONNECTIONS = 64;

/** Milliseconds until a connection is made. */
export const CONNECT_MS = 1_000;

// Shorter than the 75 s that the services keep an unused connection, so that none is closed under a request.
export const IDLE_MS = 30_000;

/** One attempt to have a request answered, and what is told about it. */
export interface Attempt {
  readonly replica: Replica;
  readonly request: IncomingMessage;
  /** Of the message to the service. */
  readonly headers: Record<string, string | string[]>;
  /** Bytes of the body that go on; null when none does. */
  readonly bodyLimitBytes: number | null;
  readonly reader: AnswerReader;
}

/** Whoever waits for an answer. */
export interface AnswerReader {
  onHead(head: AnswerHead): void;
  /** @returns false when no more is wanted until {@link Sending.resume} */
  onData(piece: Buffer): boolean;
  /** All of the answer has come. */
  onEnd(trailers: IncomingHttpHeaders): void;
  /**
   * The service could not be reached or broke off; said once, and nothing after it.
   *
   * @param wasSent false when no byte of the request left: another replica may have it
   */
  onFault(error: Error, wasSent: boolean): void;
}

export interface AnswerHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** A request on its way. */
export interface Sending {
  resume(): void;
  /** Ends it, whatever has been sent or has come; nothing is said after this. */
  abort(): void;
}

export interface Transport {
  send(attempt: Attempt): Sending;
  close(): Promise<void>;
}

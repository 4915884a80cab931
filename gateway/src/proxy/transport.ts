import type { IncomingHttpHeaders } from "node:http";
import type { Replica } from "@nts/shared/upstream/replicas";
import type { Exchange } from "../edge/exchange.js";
import type { Way } from "../edge/in-flight.js";

// How a request gets to a service and its answer back. There are two ways, which share everything else: undici's dispatch,
// which costs least, for the topology service, and http-proxy-middleware for the identity service.

/**
 * Connections to one replica for all but files; what does not get one at once waits for it. More than any user, organization
 * or address may have requests at a service, so that none of them can hold all.
 */
export const MOST_CONNECTIONS = 256;

/** Connections to one replica on which files are sent. */
export const MOST_UPLOADS = 32;

/** Connections to one replica on which answers are waited for that are held back. */
export const MOST_WAITING = 512;

/** Milliseconds until a connection is made. */
export const CONNECT_MS = 1_000;

// Shorter than the 75 s that the services keep an unused connection, so that none is closed under a request.
export const IDLE_MS = 30_000;

/** One attempt to have a request answered, and what is told about it. */
export interface Attempt {
  readonly replica: Replica;
  readonly way: Way;
  readonly exchange: Exchange;
  /** Of the message to the service, with the length of its body. */
  readonly headers: Record<string, string | string[]>;
  readonly body: OutgoingBody;
  readonly reader: AnswerReader;
}

/** What goes on of a body: nothing, all of it at once, or a file of at most so many bytes while it comes. */
export type OutgoingBody = null | Buffer | { readonly limitBytes: number };

/** Receives the answer of a service. Its methods never throw. */
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

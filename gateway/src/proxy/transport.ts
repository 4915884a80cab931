import type { IncomingHttpHeaders } from "node:http";
import type { Replica } from "@nts/shared/upstream/replicas";
import type { Upload } from "../edge/body.js";
import type { Exchange } from "../edge/exchange.js";
import type { Purpose } from "../edge/in-flight.js";

// How requests reach a service. There are two transports: undici's dispatch, the cheaper one, for topology, and
// http-proxy-middleware for identity.

/**
 * Connections to one replica for ordinary requests, which wait for a free one. More than any user, organization or
 * address may use at a time, so that none can occupy all.
 */
export const MOST_CONNECTIONS = 256;

/** Connections to one replica for uploads. */
export const MOST_UPLOADS = 32;

/** Connections to one replica for delayed responses. */
export const MOST_WAITING = 512;

/** Connect timeout in milliseconds. */
export const CONNECT_MS = 1_000;

/** One attempt of a request, and its observers. */
export interface Attempt {
  readonly replica: Replica;
  readonly purpose: Purpose;
  readonly exchange: Exchange;
  /** Headers of the message to the service, including the body's length. */
  readonly headers: Record<string, string | string[]>;
  readonly body: OutgoingBody;
  readonly reader: ResponseReader;
}

/** The body to forward: none, complete, or an upload. */
export type OutgoingBody = null | Buffer | Upload;

/** Receives the response of a service. Its methods never throw. */
export interface ResponseReader {
  onHead(head: ResponseHead): void;
  /** @returns false to pause until {@link Sending.resume} */
  onData(piece: Buffer): boolean;
  /** The response is complete. */
  onEnd(trailers: IncomingHttpHeaders): void;
  /**
   * The service was unreachable or disconnected; called once, as the last call.
   *
   * @param wasSent false if no byte of the request was sent, so that another replica may get it
   */
  onFault(error: Error, wasSent: boolean): void;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** A pending request. */
export interface Sending {
  resume(): void;
  /** Aborts it; no further calls follow. */
  abort(): void;
}

export interface Transport {
  send(attempt: Attempt): Sending;
  close(): Promise<void>;
}

import { performance } from "node:perf_hooks";
import { AppError } from "@nts/shared/errors";
import type { Call, Replica } from "@nts/shared/upstream/replicas";
import { DEADLINES, timedOut } from "@nts/shared/timing";
import type { Dependent } from "../edge/exchange.js";
import { isCompressible } from "./compression.js";
import { PROBLEM_TYPE } from "../edge/problem.js";
import { envelopeOf } from "./envelope.js";
import { EventWriter } from "./event-writer.js";
import { EnvelopeWriter, sendHeadOnly } from "./envelope-writer.js";
import { sendHeld } from "./held-response.js";
import { type Forwarding, isKeyed, type Proxy, type ProxyOptions } from "./forwarding.js";
import type { ResponseHead, ResponseReader, Sending } from "./transport.js";

// Forwards requests, read completely except for uploads. Retries on another replica: always if no byte was sent, reads
// once, writes if an idempotency key makes it safe.

/** Attempts to reach a replica, per request. */
const MOST_ATTEMPTS = 3;

/** Retries of a write with an idempotency key after the connection broke. */
const MOST_RETRIES_OF_WRITE = 2;

const NO_REPLICAS: readonly Replica[] = [];

/** Creates the forwarder for one service. */
export function createProxy(options: ProxyOptions): Proxy {
  return (forwarding) => {
    // The client may have left, or been rejected, while its credential was verified.
    if (forwarding.exchange.isOpen) new ProxiedRequest(options, forwarding).begin();
  };
}

/** A forwarded request. A class, because a closure per step would cost more than the steps. */
class ProxiedRequest implements ResponseReader, Dependent {
  #call: Call | null = null;
  #sending: Sending | null = null;
  #writer: EnvelopeWriter | EventWriter | null = null;
  #tried: readonly Replica[] = NO_REPLICAS;
  readonly #isRead: boolean;
  /** How often it may still be retried after bytes of it were sent. */
  #retries: number;
  #isOver = false;
  /** What arrived while the caller is re-checked; null if that is done or unnecessary. */
  #delayed: (() => void)[] | null;
  #isRechecked = false;
  /** The client has not read what arrived, so reading is paused. */
  #isPaused = false;
  #expectedAt = 0;
  #progressedAt = 0;
  /** Bytes of the connection at the last look at an upload. */
  #bytesSeen = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: ProxyOptions,
    private readonly forwarding: Forwarding,
  ) {
    this.#delayed = forwarding.recheck === undefined ? null : [];
    this.#isRead = forwarding.endpoint.method === "get";
    this.#retries = this.#isRead ? 1 : isKeyed(forwarding) ? MOST_RETRIES_OF_WRITE : 0;
  }

  begin(): void {
    const { exchange, endpoint } = this.forwarding;
    exchange.releaseAtEnd(this);
    this.#expectHead();
    if (endpoint.upload !== undefined) exchange.request.once("end", exchange.guard(this.#expectHead));
    this.#attempt();
  }

  #attempt(): void {
    const { exchange, headers, body, purpose, counted } = this.forwarding;
    try {
      this.#call = this.options.upstream.call({
        tried: this.#tried,
        ...(this.#isRead && this.#retries > 0 && { onEjected: this.#askAnother }),
        ...(this.forwarding.rights !== undefined && { isStream: true, onEjected: this.#leave }),
      });
    } catch (error) {
      const fail = (): void => {
        this.#fail(error as AppError);
      };
      if (counted === null) fail();
      else counted.then(fail, () => undefined);
      return;
    }
    const { transport } = this.options;
    const attempt = { replica: this.#call.replica, exchange, headers, body, purpose, reader: this };
    this.#sending = counted === null ? transport.send(attempt) : sendHeld(transport, attempt, counted);
  }

  /** The replica was ejected while its response was pending. */
  readonly #askAnother = (): void => {
    if (this.#isOver || this.#retries === 0) return;
    try {
      this.#retries = 0;
      this.#sending?.abort();
      this.#giveUpCall();
      this.#attempt();
    } catch (error) {
      this.forwarding.exchange.fail(error);
    }
  };

  /** The replica of a stream was ejected. */
  readonly #leave = (): void => {
    if (this.#writer instanceof EventWriter) this.#breakOff(this.#writer);
    else this.#askAnother();
  };

  /** Ends a stream early; its client resumes it. */
  #breakOff(writer: EventWriter): void {
    if (this.#isOver) return;
    writer.end();
    this.release();
  }

  #giveUpCall(): void {
    if (this.#call === null) return;
    this.#tried = [...this.#tried, this.#call.replica];
    this.#call.end();
  }

  onFault(error: Error, wasSent: boolean): void {
    if (this.#isOver) return;
    try {
      this.#handleFault(error, wasSent);
    } catch (unexpected) {
      this.forwarding.exchange.fail(unexpected);
    }
  }

  #handleFault(error: Error, wasSent: boolean): void {
    // An upload over the limit is no failure of the replica.
    if (error instanceof AppError) {
      this.#fail(error);
      return;
    }
    if (this.#writer instanceof EventWriter) {
      this.#breakOff(this.#writer);
      return;
    }
    this.#call?.failed();
    this.#giveUpCall();
    const isOpen = this.#writer === null && this.forwarding.exchange.isOpen;
    if (isOpen && this.#tried.length < MOST_ATTEMPTS && (!wasSent || this.#retries > 0)) {
      if (wasSent) this.#retries -= 1;
      this.#attempt();
    } else this.#fail(new AppError(wasSent ? "upstream_failed" : "unavailable", {}, error));
  }

  onHead(head: ResponseHead): void {
    if (this.#isOver) return;
    try {
      this.#begin(head);
    } catch (error) {
      this.forwarding.exchange.fail(error);
    }
  }

  #begin(head: ResponseHead): void {
    const { exchange, endpoint, rights, purpose } = this.forwarding;
    this.#call?.responded();
    this.#progressedAt = performance.now();
    if (head.status === 304 || (head.status === 303 && endpoint.redirects === true)) {
      sendHeadOnly(exchange, head, { length: head.status === 303 ? 0 : null });
      return;
    }
    const envelope = envelopeOf(head, endpoint, {
      requestId: exchange.requestId,
      isProblem: head.status >= 400 && exchange.failureType === PROBLEM_TYPE,
    });
    if (envelope === null)
      this.#fail(new AppError("upstream_failed", {}, `unusable response of status ${head.status}`));
    else if (exchange.request.method === "HEAD") sendHeadOnly(exchange, head, envelope);
    else if (rights !== undefined && head.status === 200)
      this.#writer = new EventWriter(head, exchange, {
        rights,
        resume: this.#resume,
        onOver: () => {
          this.release();
        },
      });
    else
      this.#writer = new EnvelopeWriter(head, exchange, envelope, {
        resume: this.#resume,
        isCompressible: isCompressible(head, endpoint, purpose),
      });
  }

  /** Holds back the last piece until the caller is re-checked. */
  #holdUp(event: () => void): boolean {
    if (this.#delayed === null) return false;
    this.#delayed.push(event);
    if (this.#isRechecked) return true;
    this.#isRechecked = true;
    const { recheck = () => Promise.resolve(), exchange } = this.forwarding;
    recheck().then(
      () => {
        const delayed = this.#delayed ?? [];
        this.#delayed = null;
        if (this.#isOver) return;
        for (const one of delayed) one();
        this.#sending?.resume();
      },
      (error: unknown) => {
        exchange.fail(error);
      },
    );
    return true;
  }

  onData(piece: Buffer): boolean {
    if (this.#holdUp(() => this.onData(piece))) return false;
    this.#progressedAt = performance.now();
    try {
      this.#isPaused = this.#writer?.add(piece) === false;
    } catch (error) {
      this.forwarding.exchange.fail(error);
    }
    return !this.#isPaused;
  }

  onEnd(trailers: ResponseHead["headers"]): void {
    if (this.#isOver) return;
    if (
      this.#holdUp(() => {
        this.onEnd(trailers);
      })
    )
      return;
    try {
      if (this.#writer?.end(trailers) === false)
        this.#fail(new AppError("upstream_failed", {}, "a response without its total"));
      else this.#finish();
    } catch (error) {
      this.forwarding.exchange.fail(error);
    }
  }

  readonly #resume = (): void => {
    this.#isPaused = false;
    this.#progressedAt = performance.now();
    this.#sending?.resume();
  };

  readonly #expectHead = (): void => {
    if (this.#isOver || this.#writer !== null) return;
    clearTimeout(this.#timer);
    this.#expectedAt = performance.now();
    this.#timer = setTimeout(this.#tooLate, DEADLINES.gatewayMs);
  };

  /**
   * Looks at an upload, whose progress is otherwise watched by the edge.
   *
   * @returns true if more of it has arrived since the last look, or none of it is waiting for the service
   */
  #lookAtUpload(): boolean {
    const { request } = this.forwarding.exchange;
    if (this.forwarding.endpoint.upload === undefined || request.readableEnded) return false;
    const { bytesRead } = request.socket;
    const isMoving = request.readableLength === 0 || bytesRead > this.#bytesSeen;
    this.#bytesSeen = bytesRead;
    return isMoving;
  }

  readonly #tooLate = (): void => {
    if (this.#writer === null && this.#lookAtUpload()) {
      this.#expectHead();
      return;
    }
    if (this.#writer === null) this.#call?.failed();
    else {
      // Slow reading of responses is watched elsewhere.
      const leftMs = this.#isPaused
        ? DEADLINES.stalledMs
        : this.#progressedAt + DEADLINES.stalledMs - performance.now();
      if (leftMs > 0) {
        this.#timer = setTimeout(this.#tooLate, leftMs);
        return;
      }
    }
    this.#fail(
      this.#writer === null ? timedOut("gatewayMs", this.#expectedAt) : timedOut("stalledMs", this.#progressedAt),
    );
  };

  #fail(error: AppError): void {
    if (this.#isOver) return;
    const { exchange, endpoint } = this.forwarding;
    if (error.code !== "payload_too_large")
      this.options.log.warn(
        { request_id: exchange.requestId, operation: endpoint.operationId, err: error.cause, code: error.code },
        "no response",
      );
    exchange.fail(error);
  }

  /** The response is complete. */
  #finish(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#call?.end();
  }

  release(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#sending?.abort();
  }
}

import { addressBlockOf } from "@nts/shared/address-block";
import { AppError } from "@nts/shared/errors";
import type { Dependent, Exchange } from "./exchange.js";

// Limits what users, organizations and addresses occupy at a time: open requests, calls to services, and bodies in
// memory. Requests with a valid credential count for user and organization, others for their address.

/** Limits of one holder. */
export interface HolderLimits {
  /** Open requests. */
  readonly requests: number;
  /** Those at a service; others wait for their turn. */
  readonly atServices: number;
  /** Open uploads. */
  readonly uploads: number;
  /** Open streams, which do not count as requests. */
  readonly streams: number;
  readonly bodyBytes: number;
}

export type HolderKind = "user" | "organization" | "address";

export interface InFlightLimits extends Readonly<Record<HolderKind, HolderLimits>> {
  /** Of all bodies together. */
  readonly bodyBytes: number;
  /** All streams. */
  readonly streams: number;
}

/** What a request uses its service connection for. */
export type Purpose = "plain" | "upload" | "waiting" | "stream";

/** Tracks open requests. */
export interface InFlight {
  /**
   * Counts a request until it ends.
   *
   * @param purpose uploads and long polls have connections of their own
   * @throws AppError `too_many_in_flight` · `too_many_streams` · `unavailable`
   */
  enter(exchange: Exchange, purpose: Purpose): RequestInFlight;
  requests(): number;
  streams(): number;
  /** Bytes of bodies in memory. */
  bytes(): number;
}

/** One counted request. */
export interface RequestInFlight {
  /** Counts bytes of its body. @throws AppError `too_many_in_flight` · `unavailable` */
  countBody(bytes: number): void;
  /** Waits until it may be sent to a service; null if it may at once. */
  turn(): Promise<void> | null;
}

/** Callers that share a limit. */
interface Group {
  readonly kind: HolderKind;
  readonly limits: HolderLimits;
  /** Number of callers with open requests. */
  readonly holders: Map<string, Holder>;
}

/** The use of one caller. */
interface Holder {
  readonly group: Group;
  readonly key: string;
  requests: number;
  atServices: number;
  uploads: number;
  streams: number;
  bytes: number;
  /** Requests waiting for their turn, in order; those of users wait at their organization. */
  readonly waiting: Counted[];
}

interface Totals {
  requests: number;
  streams: number;
  bytes: number;
  readonly mostBytes: number;
  readonly refuse: (group: Group, code?: "too_many_in_flight" | "too_many_streams") => never;
}

/** @param onRefused called with the exceeded limit */
export function createInFlight(limits: InFlightLimits, onRefused: (kind: HolderKind) => void): InFlight {
  const groupOf = (kind: HolderKind): Group => ({ kind, limits: limits[kind], holders: new Map() });
  const [users, organizations, addresses] = [groupOf("user"), groupOf("organization"), groupOf("address")];
  const refuse = ({ kind }: Group, code: "too_many_in_flight" | "too_many_streams" = "too_many_in_flight"): never => {
    onRefused(kind);
    throw new AppError(code, { of: kind, retry_after_seconds: code === "too_many_streams" ? 5 : 1 });
  };
  const totals: Totals = { requests: 0, streams: 0, bytes: 0, mostBytes: limits.bodyBytes, refuse };

  function holdersOf({ principal, clientAddress }: Exchange): Holder[] {
    if (principal === null) return [holderOf(addresses, addressBlockOf(clientAddress))];
    return [holderOf(users, principal.userId), holderOf(organizations, principal.scope.organizationId)];
  }

  return {
    enter: (exchange, purpose) => {
      const holders = holdersOf(exchange);
      for (const { group, requests, uploads, streams } of holders)
        if (purpose === "stream") {
          if (streams >= group.limits.streams) refuse(group, "too_many_streams");
        } else if (requests >= group.limits.requests || (purpose === "upload" && uploads >= group.limits.uploads))
          refuse(group);
      if (purpose === "stream" && totals.streams >= limits.streams)
        throw new AppError("unavailable", {}, "too many streams");
      const request = new Counted(holders, purpose, totals);
      exchange.releaseAtEnd(request);
      return request;
    },
    requests: () => totals.requests,
    streams: () => totals.streams,
    bytes: () => totals.bytes,
  };
}

function holderOf(group: Group, key: string): Holder {
  const known = group.holders.get(key);
  return known ?? { group, key, requests: 0, atServices: 0, uploads: 0, streams: 0, bytes: 0, waiting: [] };
}

class Counted implements RequestInFlight, Dependent {
  #bytes = 0;
  #isAtService = false;
  #isReleased = false;
  #proceed: (() => void) | null = null;

  constructor(
    private readonly holders: readonly Holder[],
    private readonly purpose: Purpose,
    private readonly totals: Totals,
  ) {
    const kind = kindOf(purpose);
    totals[kind]++;
    for (const holder of holders) {
      if (holder.requests + holder.streams === 0) holder.group.holders.set(holder.key, holder);
      holder[kind]++;
      if (purpose === "upload") holder.uploads++;
    }
  }

  countBody(bytes: number): void {
    if (this.#isReleased) return;
    const { holders, totals } = this;
    for (const { group, bytes: held } of holders) if (held + bytes > group.limits.bodyBytes) totals.refuse(group);
    if (totals.bytes + bytes > totals.mostBytes) throw new AppError("unavailable", {}, "too many bodies in memory");
    this.#addBytes(bytes);
  }

  turn(): Promise<void> | null {
    if (this.purpose !== "plain" || this.#isReleased || this.start()) return null;
    return new Promise((resolve) => {
      this.#proceed = resolve;
      this.#queue().push(this);
    });
  }

  /** Sends it to a service if all of its holders have capacity. */
  start(): boolean {
    for (const { group, atServices } of this.holders) if (atServices >= group.limits.atServices) return false;
    for (const holder of this.holders) holder.atServices++;
    this.#isAtService = true;
    this.#proceed?.();
    return true;
  }

  release(): void {
    const { holders, totals, purpose } = this;
    this.#addBytes(-this.#bytes);
    this.#isReleased = true;
    const kind = kindOf(purpose);
    totals[kind]--;
    for (const holder of holders) {
      holder[kind]--;
      if (holder.requests + holder.streams === 0) holder.group.holders.delete(holder.key);
      if (purpose === "upload") holder.uploads--;
      if (this.#isAtService) holder.atServices--;
    }
    const queue = this.#queue();
    if (this.#isAtService) startNext(queue);
    else if (this.#proceed !== null) queue.splice(queue.indexOf(this), 1);
  }

  #queue(): Counted[] {
    return this.holders.at(-1)?.waiting ?? [];
  }

  #addBytes(bytes: number): void {
    this.#bytes += bytes;
    this.totals.bytes += bytes;
    for (const holder of this.holders) holder.bytes += bytes;
  }
}

function kindOf(purpose: Purpose): "requests" | "streams" {
  return purpose === "stream" ? "streams" : "requests";
}

function startNext(queue: Counted[]): void {
  const next = queue.findIndex((request) => request.start());
  if (next !== -1) queue.splice(next, 1);
}

import { addressBlockOf, siteOf } from "@nts/shared/address-block";
import { AppError } from "@nts/shared/errors";
import type { Dependent, Exchange } from "./exchange.js";

// Limits what users, organizations and addresses occupy at a time: open requests, calls to services, and bodies in
// memory. Requests with a valid credential count for user and organization, and, as accounts are free, for their address
// and site with higher limits; others count for their address only. Of the calls to
// one service, an organization or address has at most as many as are left: however many are busy, a new one is served.

/** Milliseconds that a caller of whose requests none is at a service waits until one may be. */
export const MOST_WAIT_MS = 1_000;

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

export type Service = "identity" | "topology";

/** `client` is the address of requests with a credential, `address` that of others. */
export type HolderKind = "user" | "organization" | "address" | "client" | "site";

export interface InFlightLimits extends Readonly<Record<HolderKind, HolderLimits>> {
  /** Of all bodies together. */
  readonly bodyBytes: number;
  /** All streams. */
  readonly streams: number;
  /** Calls to one service. */
  readonly atService: number;
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
  /** Waits until it may be sent to the service; null if it may at once. @throws AppError `unavailable` */
  turn(service: Service): Promise<void> | null;
}

/** Callers that share a limit. */
interface Group {
  readonly kind: HolderKind;
  readonly limits: HolderLimits;
  /** Callers with open requests, by their key: the id of a user or organization, or an address block. */
  readonly holders: Map<string, Holder>;
}

/** The use of one caller. */
interface Holder {
  readonly group: Group;
  readonly key: string;
  requests: number;
  /** By service. */
  readonly at: Record<Service, number>;
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
  /** Calls that are left to make at a time. */
  readonly left: Record<Service, number>;
  /** Organizations and addresses with waiting requests, the next one first. */
  readonly waiting: Set<Holder>;
  readonly mostBytes: number;
  readonly refuse: (group: Group, code?: "too_many_in_flight" | "too_many_streams") => never;
}

/** @param onRefused called with the exceeded limit */
export function createInFlight(limits: InFlightLimits, onRefused: (kind: HolderKind) => void): InFlight {
  const groupOf = (kind: HolderKind): Group => ({ kind, limits: limits[kind], holders: new Map() });
  const users = groupOf("user");
  const organizations = groupOf("organization");
  const addresses = groupOf("address");
  const clients = groupOf("client");
  const sites = groupOf("site");
  const refuse = ({ kind }: Group, code: "too_many_in_flight" | "too_many_streams" = "too_many_in_flight"): never => {
    onRefused(kind);
    throw new AppError(code, {
      of: kind === "client" ? "address" : kind,
      retry_after_seconds: code === "too_many_streams" ? 5 : 1,
    });
  };
  const left = { identity: limits.atService, topology: limits.atService };
  const totals: Totals = {
    requests: 0,
    streams: 0,
    bytes: 0,
    left,
    waiting: new Set(),
    mostBytes: limits.bodyBytes,
    refuse,
  };

  function holdersOf({ principal, clientAddress }: Exchange): Holder[] {
    if (principal === null) return [holderOf(addresses, addressBlockOf(clientAddress))];
    return [
      holderOf(clients, addressBlockOf(clientAddress)),
      holderOf(sites, siteOf(clientAddress)),
      holderOf(users, principal.userId),
      holderOf(organizations, principal.scope.organizationId),
    ];
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
  const at = { identity: 0, topology: 0 };
  return known ?? { group, key, requests: 0, at, uploads: 0, streams: 0, bytes: 0, waiting: [] };
}

class Counted implements RequestInFlight, Dependent {
  #bytes = 0;
  #service: Service = "topology";
  #isAtService = false;
  #isReleased = false;
  #proceed: (() => void) | null = null;
  #timer: NodeJS.Timeout | undefined;

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

  turn(service: Service): Promise<void> | null {
    this.#service = service;
    if (this.purpose !== "plain" || this.#isReleased || this.start()) return null;
    const payer = this.#payer();
    payer.waiting.push(this);
    this.totals.waiting.add(payer);
    return new Promise((resolve, reject) => {
      this.#proceed = resolve;
      // Otherwise it waits for the caller's own requests.
      if (payer.at[service] === 0)
        this.#timer = setTimeout(() => {
          this.#waitNoLonger();
          reject(new AppError("unavailable", {}, `too many calls to ${service}`));
        }, MOST_WAIT_MS);
    });
  }

  /** Sends it to its service if all of its holders have capacity. */
  start(): boolean {
    const { holders, totals } = this;
    const service = this.#service;
    for (const { group, at } of holders) if (at.identity + at.topology >= group.limits.atServices) return false;
    if (this.#payer().at[service] >= totals.left[service]) return false;
    for (const { at } of holders) at[service]++;
    totals.left[service]--;
    this.#isAtService = true;
    clearTimeout(this.#timer);
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
      if (this.#isAtService) holder.at[this.#service]--;
    }
    if (this.#isAtService) {
      totals.left[this.#service]++;
      startNext(totals.waiting);
    } else this.#waitNoLonger();
  }

  #waitNoLonger(): void {
    clearTimeout(this.#timer);
    const payer = this.#payer();
    const place = payer.waiting.indexOf(this);
    if (place !== -1) payer.waiting.splice(place, 1);
    if (payer.waiting.length === 0) this.totals.waiting.delete(payer);
  }

  /** The organization or address. */
  #payer(): Holder {
    const payer = this.holders.at(-1);
    if (payer === undefined) throw new Error("a request counts for nobody");
    return payer;
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

/** Starts one request, of the organizations and addresses in turn. */
function startNext(waiting: Set<Holder>): void {
  for (const holder of waiting) {
    const next = holder.waiting.findIndex((request) => request.start());
    if (next === -1) continue;
    holder.waiting.splice(next, 1);
    waiting.delete(holder);
    if (holder.waiting.length > 0) waiting.add(holder);
    return;
  }
}

import { AppError } from "../errors.js";

// Fewest open calls first, then round robin. Three failures in a row eject a replica until it responds to a probe; if
// all are ejected, calls are tried anyway. A new one responds to a probe first: its name may resolve too early.

const MOST_FAILURES = 3;

/** Maximum pending calls to one service; more would only wait longer. */
export const MOST_WAITING = 256;

const NONE: readonly Replica[] = [];

/** One process of a service at one address. */
export interface Replica {
  /** Its base URL with an address instead of a name: `http://10.0.0.7:8082`. */
  readonly origin: string;
  /** Its `Host` header. */
  readonly host: string;
}

/** A call to a service, from the choice of a replica to its end. */
export interface Call {
  readonly replica: Replica;
  /** The response has started. */
  responded(): void;
  /** The replica failed: it refused, disconnected or timed out. */
  failed(): void;
  /** The call has ended. May be repeated. */
  end(): void;
}

export interface CallOptions {
  /** Replicas that failed this request; avoided if there is a choice. */
  readonly tried?: readonly Replica[];
  /** A call of our own on which all requests depend: it counts as open but not as pending. */
  readonly isInternal?: boolean;
  /** A stream: it does not count as an open call when choosing replicas. */
  readonly isStream?: boolean;
  /** Called when the replica is ejected while the call is pending; for a stream, while it is open. */
  readonly onEjected?: () => void;
}

export interface ReplicaState extends Replica {
  /** Open calls. */
  readonly pending: number;
  readonly isEjected: boolean;
}

export type ProbeResult = "ready" | "unready" | "nothing";

export interface Replicas {
  /** @throws AppError `unavailable` if no replica is known or too many calls are pending */
  call(options?: CallOptions): Call;
  /** Reports a probe's result: ready, not ready (stopping), or no response. */
  probed(origin: string, result: ProbeResult): void;
  /** Sets the current replicas; open calls continue. */
  set(replicas: readonly Replica[]): void;
  all(): readonly ReplicaState[];
  /** Pending calls. */
  waiting(): number;
}

interface Kept {
  readonly replica: Replica;
  pending: number;
  /** Open streams. */
  readonly streams: WaitingCalls;
  failures: number;
  silences: number;
  isEjected: boolean;
  /** It has responded to a call or a probe since it became known. */
  isProven: boolean;
  readonly waiting: WaitingCalls;
}

interface WaitingCall {
  readonly onEjected: (() => void) | undefined;
  /** Its index among the pending calls of its replica; -1 if no longer pending. */
  place: number;
}

/**
 * Pending calls, unordered. Not a Set, whose replaced tables keep dead entries alive until the next full collection: a
 * tenth of the cost of a request.
 */
class WaitingCalls {
  readonly #calls: WaitingCall[] = [];

  get count(): number {
    return this.#calls.length;
  }

  all(): readonly WaitingCall[] {
    return [...this.#calls];
  }

  add(onEjected: (() => void) | undefined): WaitingCall {
    const call = { onEjected, place: this.#calls.length };
    this.#calls.push(call);
    return call;
  }

  /** @returns false if it was no longer pending */
  remove(call: WaitingCall): boolean {
    const { place } = call;
    if (place === -1) return false;
    const last = this.#calls.pop();
    if (last !== undefined && last !== call) {
      this.#calls[place] = last;
      last.place = place;
    }
    call.place = -1;
    return true;
  }
}

interface Totals {
  /** Pending calls of all replicas. */
  waiting: number;
}

/** An open call. */
class OpenCall implements Call {
  readonly replica: Replica;
  readonly #waiting: WaitingCall | null;
  readonly #stream: WaitingCall | null;
  #isOpen = true;

  /** @param counted null for a call that does not count as pending */
  constructor(
    private readonly kept: Kept,
    private readonly counted: { totals: Totals; onEjected: (() => void) | undefined } | null,
    private readonly eject: (kept: Kept) => void,
    isStream: boolean,
  ) {
    this.replica = kept.replica;
    this.#stream = isStream ? kept.streams.add(counted?.onEjected) : null;
    if (!isStream) kept.pending++;
    this.#waiting = counted === null ? null : kept.waiting.add(isStream ? undefined : counted.onEjected);
    if (counted !== null) counted.totals.waiting++;
  }

  responded(): void {
    this.#waitNoLonger();
    this.kept.failures = 0;
    this.kept.isProven = true;
  }

  failed(): void {
    this.#waitNoLonger();
    if (++this.kept.failures >= MOST_FAILURES) this.eject(this.kept);
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#waitNoLonger();
    if (this.#stream === null) this.kept.pending--;
    else this.kept.streams.remove(this.#stream);
  }

  #waitNoLonger(): void {
    if (this.counted === null || this.#waiting === null) return;
    if (this.kept.waiting.remove(this.#waiting)) this.counted.totals.waiting--;
  }
}

/** Creates an empty set of replicas. @param onChange called when a replica is ejected or restored */
export function createReplicas(onChange: (replica: Replica, isEjected: boolean) => void = () => undefined): Replicas {
  let known: Kept[] = [];
  let chosenAt = 0;
  const totals: Totals = { waiting: 0 };

  function choose(tried: readonly Replica[], loadOf: LoadOf): Kept {
    // The search starts after the replica chosen last.
    chosenAt = (chosenAt + 1) % Math.max(1, known.length);
    const by = { tried, loadOf };
    let best: Kept | undefined;
    for (let i = 0; i < known.length; i++) {
      const next = known[(chosenAt + i) % known.length];
      if (next !== undefined && (best === undefined || isBetter(next, best, by))) best = next;
    }
    if (best === undefined) throw new AppError("unavailable", {}, "no replica is known");
    return best;
  }

  function eject(kept: Kept): void {
    if (kept.isEjected) return;
    kept.isEjected = true;
    onChange(kept.replica, true);
    for (const { onEjected } of [...kept.waiting.all(), ...kept.streams.all()]) onEjected?.();
  }

  function readmit(kept: Kept): void {
    kept.isEjected = false;
    kept.failures = 0;
    onChange(kept.replica, false);
  }

  return {
    call: (options = {}) => {
      const counts = options.isInternal !== true;
      if (counts && totals.waiting >= MOST_WAITING)
        throw new AppError("unavailable", {}, "too many calls are waiting for a response");
      const isStream = options.isStream === true;
      const kept = choose(options.tried ?? NONE, isStream ? streamsOf : pendingOf);
      return new OpenCall(kept, counts ? { totals, onEjected: options.onEjected } : null, eject, isStream);
    },
    probed: (origin, result) => {
      const kept = known.find(({ replica }) => replica.origin === origin);
      if (kept === undefined) return;
      if (result === "ready") {
        kept.silences = 0;
        kept.isProven = true;
        if (kept.isEjected) readmit(kept);
      } else if (result === "unready" || ++kept.silences >= MOST_FAILURES) eject(kept);
    },
    set: (replicas) => {
      known = replicas.map((replica) => known.find((one) => one.replica.origin === replica.origin) ?? unused(replica));
    },
    all: () => known.map(({ replica, pending, isEjected }) => ({ ...replica, pending, isEjected })),
    waiting: () => totals.waiting,
  };
}

type LoadOf = (kept: Kept) => number;
const pendingOf: LoadOf = ({ pending }) => pending;
const streamsOf: LoadOf = ({ streams }) => streams.count;

interface Choice {
  readonly tried: readonly Replica[];
  readonly loadOf: LoadOf;
}

function isBetter(next: Kept, best: Kept, { tried, loadOf }: Choice): boolean {
  const nextRank = rankOf(next, tried);
  const bestRank = rankOf(best, tried);
  return nextRank === bestRank ? loadOf(next) < loadOf(best) : nextRank < bestRank;
}

/** Lower is better: replicas that have not failed this request first, those known to be down last. */
function rankOf({ replica, isEjected, isProven }: Kept, tried: readonly Replica[]): number {
  return (isEjected ? 4 : 0) + (tried.includes(replica) ? 2 : 0) + (isProven ? 0 : 1);
}

function unused(replica: Replica): Kept {
  return {
    replica,
    pending: 0,
    streams: new WaitingCalls(),
    failures: 0,
    silences: 0,
    isEjected: false,
    isProven: false,
    waiting: new WaitingCalls(),
  };
}

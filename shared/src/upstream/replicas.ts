import { AppError } from "../errors.js";

// The replicas of one service, as one caller of it sees them. A call goes to the replica with the fewest open calls, and
// among equals to the next in turn; so one that hangs soon gets nothing more. Three failures in a row eject a replica,
// and the first probe that it answers brings it back. With all of them ejected, calls are tried all the same.
//
// A name resolves to a replica before that replica listens. A new one therefore gets no calls until it has answered a
// probe, as long as there is another; it has no open calls, so it would otherwise attract and fail all of them.

const MOST_FAILURES = 3;

/** Calls to one service that may wait for an answer at a time; more would only wait longer. */
export const MOST_WAITING = 256;

const NONE: readonly Replica[] = [];

/** One process of a service, at one address. */
export interface Replica {
  /** Its base URL, with an address in place of a name: `http://10.0.0.7:8082`. */
  readonly origin: string;
  /** What it is called in `Host`. */
  readonly host: string;
}

/** A call to a service, from the choice of a replica to its end. */
export interface Call {
  readonly replica: Replica;
  /** The answer has begun. */
  answered(): void;
  /** The replica did not answer: it refused, broke off, or took too long. */
  failed(): void;
  /** Nothing more comes, or is wanted. May be said again. */
  end(): void;
}

export interface CallOptions {
  /** Replicas that have failed this request: not one of these when there is a choice. */
  readonly tried?: readonly Replica[];
  /** A question of our own, on which all requests depend: it counts as open but never as waiting. */
  readonly isInternal?: boolean;
  /** Its answer goes on for as long as it may: it is none of the open calls by which replicas are chosen for others. */
  readonly isStream?: boolean;
  /** The replica was ejected while the call waits for an answer; not said of an ended call. Of a stream: while it is open. */
  readonly onEjected?: () => void;
}

export interface ReplicaState extends Replica {
  /** Open calls. */
  readonly pending: number;
  readonly isEjected: boolean;
}

export type ProbeAnswer = "ready" | "unready" | "nothing";

export interface Replicas {
  /** @throws AppError `unavailable` when no replica is known, or too many calls wait already */
  call(options?: CallOptions): Call;
  /** What the replica at an origin said to a probe: that it is ready, that it is not (it stops), or nothing. */
  probed(origin: string, said: ProbeAnswer): void;
  /** Says which replicas there are from now on; calls that are open go on. */
  set(replicas: readonly Replica[]): void;
  all(): readonly ReplicaState[];
  /** Calls that wait for an answer. */
  waiting(): number;
}

interface Kept {
  readonly replica: Replica;
  pending: number;
  /** Streams that are open. */
  readonly streams: WaitingCalls;
  failures: number;
  silences: number;
  isEjected: boolean;
  /** It has answered a call or a probe since it became known. */
  isProven: boolean;
  readonly waiting: WaitingCalls;
}

interface WaitingCall {
  readonly onEjected: (() => void) | undefined;
  /** Where it stands among those of its replica; -1 when it waits no longer. */
  place: number;
}

/**
 * Calls that wait, in no order. Not a Set: its tables stay linked when they are replaced, and those that the collector has
 * aged keep alive all that they held, until the next full collection: a tenth of the work on a request.
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

  /** @returns false when it did not wait any more */
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
  /** Calls that wait for an answer, at all replicas. */
  waiting: number;
}

/** A call that has not ended. */
class OpenCall implements Call {
  readonly replica: Replica;
  readonly #waiting: WaitingCall | null;
  readonly #stream: WaitingCall | null;
  #isOpen = true;

  /** @param counted null for a call that is not one of those that wait */
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

  answered(): void {
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

/** No replicas yet. @param onChange told when a replica was ejected or came back */
export function createReplicas(onChange: (replica: Replica, isEjected: boolean) => void = () => undefined): Replicas {
  let known: Kept[] = [];
  let turn = 0;
  const totals: Totals = { waiting: 0 };

  function choose(tried: readonly Replica[], loadOf: LoadOf): Kept {
    // The search begins with the replica after the last one chosen.
    turn = (turn + 1) % Math.max(1, known.length);
    const by = { tried, loadOf };
    let best: Kept | undefined;
    for (let i = 0; i < known.length; i++) {
      const next = known[(turn + i) % known.length];
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
        throw new AppError("unavailable", {}, "too many calls wait for an answer");
      const isStream = options.isStream === true;
      const kept = choose(options.tried ?? NONE, isStream ? streamsOf : pendingOf);
      return new OpenCall(kept, counts ? { totals, onEjected: options.onEjected } : null, eject, isStream);
    },
    probed: (origin, said) => {
      const kept = known.find(({ replica }) => replica.origin === origin);
      if (kept === undefined) return;
      if (said === "ready") {
        kept.silences = 0;
        kept.isProven = true;
        if (kept.isEjected) readmit(kept);
      } else if (said === "unready" || ++kept.silences >= MOST_FAILURES) eject(kept);
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

/** Lower is better: whatever has not failed this request, before what has; what is known not to answer comes last. */
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

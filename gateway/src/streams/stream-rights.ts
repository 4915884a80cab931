import { type AnyEndpoint, STREAM_ENDS } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { isUser, type Principal } from "@nts/shared/http/tenancy";
import type { Authenticate } from "../authenticate/authenticate.js";
import type { Caller } from "../authenticate/caller.js";
import { readCredential } from "../authenticate/credential.js";
import type { Lease } from "../authenticate/lease.js";
import type { Verifier } from "../authenticate/verifier.js";
import type { Exchange } from "../edge/exchange.js";
import type { Streams } from "./streams.js";

/** Why a stream ends, as its last event says it. */
export interface StreamEnd {
  readonly code: string;
  readonly error: string;
}

/** Told what becomes of the rights of a stream. */
export interface RightsHolder {
  /** Nothing may be let through until {@link cleared}. */
  suspended(): void;
  cleared(): void;
  ended(end: StreamEnd): void;
}

/** The rights that a stream was begun with. */
export interface StreamRights {
  /** True when an event may be let through; otherwise they are judged, and the holder is told. */
  stand(): boolean;
  /** Begins to watch them. @returns stops it @throws AppError `unavailable` when the process stops */
  watch(holder: RightsHolder): () => void;
}

/** Makes what a stream of a caller is judged by. */
export type RightsOf = (exchange: Exchange, endpoint: AnyEndpoint, caller: Caller) => StreamRights;

export interface StreamRightsParts {
  readonly authenticate: Authenticate;
  readonly verifier: Pick<Verifier, "standsFor">;
  readonly lease: Pick<Lease, "isAlive">;
  readonly streams: Streams;
}

/** One look in so many asks while nothing that is remembered may be served. */
const LOOKS_WITHOUT_LEASE = 5;

const CLOSING: StreamEnd = { code: "closing", error: STREAM_ENDS.closing };
const CHANGED: StreamEnd = { code: "rights_changed", error: STREAM_ENDS.rights_changed };

export function createStreamRights({ authenticate, verifier, lease, streams }: StreamRightsParts): RightsOf {
  return (exchange, endpoint, first) => {
    const { principal } = first;
    if (!isUser(principal)) throw new AppError("not_authenticated");
    const credential = readCredential(exchange.request.headers);
    let caller: Caller = first;
    let holder: RightsHolder | null = null;
    let isJudging = false;
    let looks = 0;
    let mustJudgeAgain = false;

    const stand = (): boolean =>
      !isJudging && "hash" in credential && verifier.standsFor(credential, caller) ? true : (judge(), false);

    function judge(): void {
      mustJudgeAgain = true;
      if (isJudging) return;
      isJudging = true;
      holder?.suspended();
      judged().then(
        () => {
          isJudging = false;
          holder?.cleared();
        },
        (error: unknown) => holder?.ended(endOf(error)),
      );
    }

    /** What was found out may be void before it arrives: then it is found out again. */
    async function judged(): Promise<void> {
      while (mustJudgeAgain) {
        mustJudgeAgain = false;
        const now = await authenticate(exchange, endpoint);
        if (!isSame(now.principal, principal)) throw CHANGED_RIGHTS;
        caller = now;
      }
    }

    return {
      stand,
      watch: (given) => {
        holder = given;
        const remove = streams.add({
          principal,
          forgotten: judge,
          look: () => {
            // Without a lease every look asks identity; what comes then is judged by itself.
            if (lease.isAlive() || ++looks % LOOKS_WITHOUT_LEASE === 0) stand();
          },
          close: () => {
            given.ended(CLOSING);
          },
        });
        return () => {
          holder = null;
          remove();
        };
      },
    };
  };
}

const CHANGED_RIGHTS = new Error("the rights of the caller are others");

function endOf(error: unknown): StreamEnd {
  if (error === CHANGED_RIGHTS) return CHANGED;
  const known = error instanceof AppError ? error : new AppError("internal_error");
  return { code: known.code, error: known.message };
}

function isSame(a: Principal, b: Principal): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

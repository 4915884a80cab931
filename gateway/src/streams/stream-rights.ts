import { type AnyEndpoint, STREAM_ENDS } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { isUser, type Principal } from "@nts/shared/http/tenancy";
import type { Authenticate } from "../authenticate/authenticate.js";
import type { Caller } from "../authenticate/caller.js";
import { readCredential } from "../authenticate/credential.js";
import type { Lease } from "../authenticate/lease.js";
import type { Verifier } from "../authenticate/verifier.js";
import type { Exchange } from "../edge/exchange.js";
import type { Streams } from "../authenticate/open-streams.js";

/** Why a stream ends, as reported in its last event. */
export interface StreamEnd {
  readonly code: string;
  readonly error: string;
}

/** Notified about the rights of a stream. */
export interface RightsHolder {
  /** Nothing may be forwarded until {@link cleared}. */
  suspended(): void;
  cleared(): void;
  ended(end: StreamEnd): void;
}

/** The rights with which a stream was opened. */
export interface StreamRights {
  /** True if an event may be forwarded; otherwise the rights are checked and the holder notified. */
  stand(): boolean;
  /** Starts watching. @returns stops watching @throws AppError `unavailable` if the process stops */
  watch(holder: RightsHolder): () => void;
}

/** Creates the rights check of a caller's stream. */
export type RightsOf = (exchange: Exchange, endpoint: AnyEndpoint, caller: Caller) => StreamRights;

export interface StreamRightsParts {
  readonly authenticate: Authenticate;
  readonly verifier: Pick<Verifier, "standsFor">;
  readonly lease: Pick<Lease, "isAlive">;
  readonly streams: Streams;
}

/** While no cached result may be served, only one in this many checks calls identity. */
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

    /** If rights change during the check, it is repeated. */
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
            // Without a lease each check calls identity, and events are checked one by one.
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

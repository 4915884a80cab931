import { describe, expect, it } from "@jest/globals";
import type { Verification } from "@nts/shared/contract/internal";
import { AppError } from "@nts/shared/errors";
import { createLog } from "@nts/shared/log";
import { createManualClock } from "./testing/manual-clock.js";
import { createChangeLog } from "./change-log.js";
import type { Credential } from "./credential.js";
import { createKeyCache } from "./key-cache.js";
import { createLease } from "./lease.js";
import { createVerifier } from "./verifier.js";

const key: Credential = { kind: "key", hash: "a" };
const cause = { requestId: "request-1", traceparent: "" };
const request = { cause, clientAddress: "192.0.2.1" };
const free = () => null;

function validAt(number: number): Verification {
  return {
    status: "valid",
    number,
    expires_in_ms: null,
    principal: {
      kind: "key",
      credential_id: "key-1",
      organization_id: "organization-1",
      user_id: "user-1",
      email: "ada@example.com",
      permission: "Member",
      networks: "all",
    },
  };
}

/** A verifier with a valid lease, to whose lookups a test responds one by one. */
function aVerifier(staleMs = 30_000, atATime = 64) {
  const clock = createManualClock();
  const lease = createLease(clock);
  const changes = createChangeLog();
  const questions: PromiseWithResolvers[] = [];
  const ask = (): Promise<Verification> => {
    const question = withResolvers();
    questions.push(question);
    return question.promise;
  };
  const cache = createKeyCache(clock);
  const seen: string[] = [];
  const observer = {
    lookedUp: (found: boolean) => seen.push(found ? "hit" : "miss"),
    verified: (outcome: string) => seen.push(outcome),
    servedStale: () => seen.push("stale"),
  };
  const log = createLog("test", "silent");
  const verifier = createVerifier({ ask, atATime, cache, lease, changes, clock, staleMs, log, observer });
  lease.renew(clock.now());
  const respond = (index: number, verification: Verification): void => {
    questions[index]!.resolve(verification);
  };
  return { clock, lease, changes, verifier, questions, respond, seen };
}

/** After everything that is not waiting for a response. */
const soon = (): Promise<void> => new Promise(setImmediate);

interface PromiseWithResolvers {
  readonly promise: Promise<Verification>;
  readonly resolve: (verification: Verification) => void;
  readonly reject: (error: Error) => void;
}

function withResolvers(): PromiseWithResolvers {
  const parts: Partial<{ resolve: PromiseWithResolvers["resolve"]; reject: PromiseWithResolvers["reject"] }> = {};
  const promise = new Promise<Verification>((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return { promise, resolve: parts.resolve!, reject: parts.reject! };
}

describe("the verifier", () => {
  it("calls identity once for concurrent requests with the same credential", async () => {
    const { verifier, questions, respond } = aVerifier();
    const both = [verifier.verify(key, request, free), verifier.verify(key, request, free)];
    expect(questions).toHaveLength(1);
    respond(0, validAt(0));
    const verdicts = await Promise.all(both);
    expect(verdicts.map(({ kind }) => kind)).toEqual(["valid", "valid"]);
    expect(verifier.recall(key)).toMatchObject({ kind: "valid" });
  });

  it("serves nothing from its cache without a lease, and joins no pending lookup", async () => {
    const { clock, verifier, questions, respond } = aVerifier();
    const first = verifier.verify(key, request, free);
    respond(0, validAt(0));
    await first;
    clock.pass(1_000);
    expect(verifier.recall(key)).toBeNull();
    void verifier.verify(key, request, free);
    void verifier.verify(key, request, free);
    expect(questions).toHaveLength(3);
  });

  it("does not let a request join a lookup that began before the last change", () => {
    const { verifier, questions } = aVerifier();
    void verifier.verify(key, request, free);
    verifier.forget(["somebody else"]);
    void verifier.verify(key, request, free);
    expect(questions).toHaveLength(2);
  });

  it("uses a response that is older than a change once, and does not cache it", async () => {
    const { verifier, changes, respond } = aVerifier();
    const verified = verifier.verify(key, request, free);
    verifier.forget(["key-1"]);
    changes.noticed(1);
    respond(0, validAt(0));
    expect(await verified).toMatchObject({ kind: "valid" });
    expect(verifier.recall(key)).toBeNull();
  });

  it("caches a response that was read after the last known change", async () => {
    const { verifier, changes, respond } = aVerifier();
    changes.noticed(7);
    const verified = verifier.verify(key, request, free);
    respond(0, validAt(7));
    await verified;
    expect(verifier.recall(key)).not.toBeNull();
  });
});

describe("the verifier: sharing of lookups", () => {
  const neighbour = { cause, clientAddress: "192.0.2.2" };
  const poor = (): Promise<void> => Promise.reject(new AppError("rate_limited"));

  it("lets no address be rejected because another one could not pay for the same credential", async () => {
    const { verifier, questions, respond } = aVerifier();
    let charged = 0;
    const pay = (): Promise<void> => Promise.resolve(void charged++);
    const first = verifier.verify(key, request, poor);
    const second = verifier.verify(key, neighbour, pay);
    const both = Promise.allSettled([first, second]);
    await soon();
    expect(questions).toHaveLength(1);
    respond(0, validAt(0));
    expect(await both).toMatchObject([{ reason: { code: "rate_limited" } }, { value: { kind: "valid" } }]);
    expect(charged).toBe(1);
  });

  it("calls identity once for addresses that have all paid, and lets each pay once at a time", async () => {
    const { verifier, questions, respond } = aVerifier();
    let charged = 0;
    const pay = (): Promise<void> => Promise.resolve(void charged++);
    const all = [request, neighbour, request, neighbour].map((one) => verifier.verify(key, one, pay));
    await soon();
    respond(0, validAt(0));
    expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(["valid", "valid", "valid", "valid"]);
    expect([questions.length, charged]).toEqual([1, 2]);
  });

  it("does not share a payment without a lease", async () => {
    const { clock, verifier, questions } = aVerifier();
    clock.pass(1_000);
    for (let n = 0; n < 2; n++) void verifier.verify(key, request, () => Promise.resolve());
    await soon();
    expect(questions).toHaveLength(2);
  });
});

describe("the verifier while identity does not respond", () => {
  it("reports unavailable instead of a rejection", async () => {
    const { verifier, questions } = aVerifier();
    const verified = verifier.verify(key, request, free);
    questions[0]!.reject(new Error("refused"));
    await expect(verified).rejects.toMatchObject({ code: "unavailable" });
  });

  it("still accepts a recently verified credential", async () => {
    const { clock, verifier, questions, respond } = aVerifier(30_000);
    const first = verifier.verify(key, request, free);
    respond(0, validAt(0));
    await first;
    clock.pass(29_999);
    const second = verifier.verify(key, request, free);
    questions[1]!.reject(new Error("refused"));
    expect(await second).toMatchObject({ kind: "valid" });
    clock.pass(1);
    const third = verifier.verify(key, request, free);
    questions[2]!.reject(new Error("refused"));
    await expect(third).rejects.toMatchObject({ code: "unavailable" });
  });

  it("serves no stale credential that a change has invalidated", async () => {
    const { clock, verifier, questions, respond } = aVerifier();
    const first = verifier.verify(key, request, free);
    respond(0, validAt(0));
    await first;
    verifier.forget(["user-1"]);
    clock.pass(2_000);
    const second = verifier.verify(key, request, free);
    questions[1]!.reject(new Error("refused"));
    await expect(second).rejects.toMatchObject({ code: "unavailable" });
  });

  it("reports cache hits, responses of identity and stale uses to its observer", async () => {
    const { clock, verifier, questions, respond, seen } = aVerifier();
    verifier.recall(key);
    const first = verifier.verify(key, request, free);
    respond(0, validAt(0));
    await first;
    verifier.recall(key);
    clock.pass(1_000);
    verifier.recall(key);
    const second = verifier.verify(key, request, free);
    questions[1]!.reject(new Error("refused"));
    await second;
    expect(seen).toEqual(["miss", "valid", "hit", "miss", "failed", "stale"]);
  });
});

describe("the verifier while too many lookups are waiting", () => {
  const other: Credential = { kind: "key", hash: "b" };

  /** A verifier whose lease has expired since it verified the key, and whose only call is still pending. */
  async function aBusyVerifier(isAway: boolean) {
    const world = aVerifier(30_000, 1);
    const { clock, verifier, questions, respond } = world;
    const first = verifier.verify(key, request, free);
    respond(0, validAt(0));
    await first;
    clock.pass(2_000);
    const second = verifier.verify(other, request, free);
    if (isAway) questions[1]!.reject(new Error("refused"));
    else respond(1, validAt(0));
    await second.catch(() => undefined);
    void verifier.verify(other, request, free);
    expect(questions).toHaveLength(3);
    return world;
  }

  it("serves nothing stale, because identity can be reached", async () => {
    const { verifier, questions, seen } = await aBusyVerifier(false);
    await expect(verifier.verify(key, request, free)).rejects.toMatchObject({ code: "unavailable" });
    expect([questions.length, seen.includes("stale")]).toEqual([3, false]);
  });

  it("still accepts a recently verified credential if identity did not respond to the last call", async () => {
    const { verifier, questions } = await aBusyVerifier(true);
    expect(await verifier.verify(key, request, free)).toMatchObject({ kind: "valid" });
    expect(questions).toHaveLength(3);
  });
});

describe("the verifier: charging for lookups, and limits of staleness", () => {
  it("serves nothing stale when that is disabled", async () => {
    const { clock, verifier, questions, respond } = aVerifier(0);
    const first = verifier.verify(key, request, free);
    respond(0, validAt(0));
    await first;
    clock.pass(1_000);
    const second = verifier.verify(key, request, free);
    questions[1]!.reject(new Error("refused"));
    await expect(second).rejects.toMatchObject({ code: "unavailable" });
  });

  it("charges for a lookup, but not when the credential was valid the last time", async () => {
    const { verifier, respond } = aVerifier();
    let charged = 0;
    const pay = (): null => {
      charged++;
      return null;
    };
    const refused: Verification = { status: "refused", number: 0, code: "api_key_disabled", subjects: ["key-1"] };
    for (const [index, verification] of [validAt(0), validAt(0), refused, refused].entries()) {
      const verified = verifier.verify(key, request, pay);
      respond(index, verification);
      await verified;
      verifier.forgetAll();
    }
    // One for the first lookup, and one for that after the rejection.
    expect(charged).toBe(2);
  });
});

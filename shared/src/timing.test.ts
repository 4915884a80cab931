import { describe, expect, it, jest } from "@jest/globals";
import { DEADLINES, IDLE, REVOCATION, STOPPING, TENANCY, timedOut } from "./timing.js";

const ascending = (...values: number[]): boolean => values.every((value, n) => n === 0 || value > values[n - 1]!);

describe("times that rely on each other", () => {
  it("let whoever waits outlast what it waits for", () => {
    const { operationMs, transactionMs, serviceMs, gatewayMs } = DEADLINES;
    expect(ascending(operationMs, transactionMs, serviceMs, gatewayMs)).toBe(true);
    expect(ascending(DEADLINES.verifyMs, DEADLINES.lastVerifyMs, gatewayMs)).toBe(true);
    expect(ascending(2 * DEADLINES.topologyCallMs, serviceMs)).toBe(true);
  });

  it("renew a lease before it ends, although one answer is lost, and outlast it in identity's registry", () => {
    const { pollEveryMs, pollMs, leaseMs, leaseMarginMs, restPollEveryMs, goneMs } = REVOCATION;
    expect(ascending(pollMs + pollEveryMs + pollEveryMs, leaseMs, leaseMs + leaseMarginMs, goneMs)).toBe(true);
    expect(ascending(2 * restPollEveryMs, goneMs)).toBe(true);
  });

  it("keep a tenancy header valid for a request that was sent with it at the last moment", () => {
    expect(ascending(TENANCY.reusedMs + DEADLINES.gatewayMs + TENANCY.skewMs, TENANCY.lifeMs + TENANCY.skewMs)).toBe(
      true,
    );
  });

  it("close idle connections at their clients first", () => {
    expect(ascending(IDLE.ofInternalCallsMs, IDLE.ofForwardingMs, IDLE.atServicesMs)).toBe(true);
  });

  it("let requests end before their process does", () => {
    expect(ascending(DEADLINES.serviceMs, STOPPING.drainServiceMs, STOPPING.limitMs)).toBe(true);
    expect(ascending(STOPPING.drainGatewayMs, STOPPING.limitMs)).toBe(true);
  });
});

describe("a time-out", () => {
  it("names the limit and the elapsed time to whoever reads the log", () => {
    const now = jest.spyOn(performance, "now").mockReturnValue(10_000);
    const error = timedOut("serviceMs", 1_999);
    now.mockRestore();
    expect(error.code).toBe("upstream_timeout");
    expect((error.cause as Error).message).toBe("serviceMs: 8001 of 8000 ms");
  });
});

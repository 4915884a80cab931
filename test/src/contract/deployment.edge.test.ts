/** The configuration of the edge agrees with the code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { ROOT } from "@nts/local/processes/system";
import { AppError } from "@nts/shared/errors";
import { STATUSES } from "@nts/shared/http/statuses";

const CONFIGURATION = readFileSync(join(ROOT, "deploy/edge/haproxy.cfg"), "utf8");

describe("the edge", () => {
  it("returns failures with the codes and messages of the gateway", () => {
    const failures = CONFIGURATION.matchAll(/http-error status (\d+) .*"error":"([^"]+)","code":"(\w+)"/g);
    const documented = [...failures].map(([, status, message, code]) => ({ status, message, code }));
    expect(documented).toEqual(
      (["unavailable", "upstream_failed", "upstream_timeout"] as const).map((code) => ({
        status: String(STATUSES[code]),
        message: new AppError(code).message,
        code,
      })),
    );
  });
});

/** The configuration of the edge agrees with the code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { ROOT } from "@nts/local/processes/system";
import { AppError } from "@nts/shared/errors";
import { STATUSES } from "@nts/shared/http/statuses";
import { GatewayConfig } from "@nts/gateway/config";
import { settingOf } from "../documents/bounds.js";

const COMPOSE = readFileSync(join(ROOT, "deploy/docker-compose.yml"), "utf8");
const CONFIGURATION = readFileSync(join(ROOT, "deploy/edge/haproxy.cfg"), "utf8");

describe("the edge", () => {
  it("returns failures with the codes and messages of the gateway", () => {
    const failures = CONFIGURATION.matchAll(
      /http-(?:error|request return) status (\d+) .*"error":"([^"]+)","code":"(\w+)"/g,
    );
    const documented = [...failures].map(([, status, message, code]) => ({ status, message, code }));
    expect(documented).toEqual(
      (["unavailable", "upstream_failed", "upstream_timeout", "too_many_in_flight"] as const).map((code) => ({
        status: String(STATUSES[code]),
        message: new AppError(code).message,
        code,
      })),
    );
  });

  it("limits connections of an address, IPv6 by /64, as a gateway does without a proxy, and leaves room for others", () => {
    expect(CONFIGURATION).toMatch(
      /^ {2}tcp-request connection track-sc0 src,ipmask\(32,64\) unless is-behind-a-proxy$/m,
    );
    const limits = /set-var\(sess\.refused\) .* sc0_conn_cur gt (\d+) \} \|\| \{ sc0_conn_rate gt (\d+) /.exec(
      CONFIGURATION,
    );
    const rejected =
      /tcp-request connection reject if \{ sc0_conn_cur gt (\d+) \} \|\| \{ sc0_conn_rate gt (\d+) /.exec(
        CONFIGURATION,
      );
    const most = settingOf(GatewayConfig, "MAX_CONNECTIONS_PER_ADDRESS");
    expect(Number(limits?.[1])).toBe(most);
    expect(Number(rejected?.[1])).toBeGreaterThan(most);
    expect(Number(rejected?.[2])).toBeGreaterThan(Number(limits?.[2]));
    expect(Number(/^ {2}maxconn (\d+)$/m.exec(CONFIGURATION)?.[1])).toBeGreaterThan(10 * Number(rejected?.[1]));
  });

  it("knows whether it is behind another proxy, whose connections are those of all clients", () => {
    expect(COMPOSE).toMatch(/SERVER_VERSION: .*\n {6}TRUST_PROXY_HOPS: \$\{TRUST_PROXY_HOPS:-1\}\n/);
  });
});

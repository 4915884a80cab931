import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { greets } from "../processes/probes.js";
import { type OwnServer, serverEnvironment, type ServerOptions } from "./server-options.js";

/** What the gateways may do: run the scripts that count requests and streams, on their keys. The same as in Compose. */
export const REDIS_RIGHTS =
  "~nts:* -@all +eval +evalsha +time +get +set +pexpire +zadd +zcard +zrem +zremrangebyscore +ping";

/**
 * Redis with a user for the gateways and one for the operator, listening on this machine only, without persistence, as
 * rate limits may be lost.
 */
export function createRedis({
  runnable,
  folder,
  port,
  passwords,
}: ServerOptions & { passwords: { operator: string; gateway: string } }): OwnServer & { readonly operatorUrl: string } {
  mkdirSync(folder, { recursive: true });
  const configuration = join(folder, "redis.conf");
  const settings = [
    ...["bind 127.0.0.1", `port ${port}`, `dir "${folder}"`],
    ...["user default off", `user gateway on >${passwords.gateway} ${REDIS_RIGHTS}`],
    `user operator on >${passwords.operator} ~* &* +@all`,
    ...['save ""', "appendonly no", "daemonize no"],
    "set-proc-title no", // its command line stays what we started: that is how a leftover is recognised
  ];
  writeFileSync(configuration, settings.join("\n"), { mode: 0o600 });
  return {
    component: {
      name: "redis",
      tier: "server",
      command: runnable.command,
      args: [configuration],
      env: serverEnvironment(runnable),
      isReady: () =>
        greets({ host: "127.0.0.1", port, send: `AUTH gateway ${passwords.gateway}\r\nPING\r\n`, expect: "+PONG" }),
    },
    url: `redis://gateway:${passwords.gateway}@127.0.0.1:${port}`,
    operatorUrl: `redis://operator:${passwords.operator}@127.0.0.1:${port}`,
  };
}

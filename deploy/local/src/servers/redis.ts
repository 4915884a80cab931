import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { greets } from "../processes/probes.js";
import { type OwnServer, serverEnvironment, type ServerOptions } from "./server-options.js";

/** Redis with a password, listening on this machine only, without persistence, as rate limits may be lost. */
export function createRedis({ runnable, folder, port, password }: ServerOptions & { password: string }): OwnServer {
  mkdirSync(folder, { recursive: true });
  const configuration = join(folder, "redis.conf");
  const settings = [
    ...["bind 127.0.0.1", `port ${port}`, `requirepass ${password}`, `dir "${folder}"`],
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
      isReady: () => greets({ host: "127.0.0.1", port, send: `AUTH ${password}\r\nPING\r\n`, expect: "+PONG" }),
    },
    url: `redis://:${password}@127.0.0.1:${port}`,
  };
}

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { greets } from "../processes/probes.js";
import { type OwnServer, serverEnvironment, type ServerOptions } from "./server-options.js";

const USER = "nts";

/** NATS with a user and password, open to this machine only; the password is plain in its configuration (mode 0600). */
export function createNats({ runnable, folder, port, password }: ServerOptions & { password: string }): OwnServer {
  mkdirSync(folder, { recursive: true });
  const configuration = join(folder, "nats.conf");
  const settings = [`listen: "127.0.0.1:${port}"`, `authorization { user: "${USER}", password: "${password}" }`];
  writeFileSync(configuration, settings.join("\n"), { mode: 0o600 });
  return {
    component: {
      name: "nats",
      tier: "server",
      command: runnable.command,
      args: ["-c", configuration],
      env: serverEnvironment(runnable),
      isReady: () => greets({ host: "127.0.0.1", port, send: "", expect: "INFO {" }),
    },
    url: `nats://${USER}:${password}@127.0.0.1:${port}`,
  };
}

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUS_RIGHTS } from "@nts/shared/contract/messages";
import { greets } from "../processes/probes.js";
import type { Secrets } from "../secrets.js";
import { type OwnServer, serverEnvironment, type ServerOptions } from "./server-options.js";

/** The bus URL for each kind of process. */
export type NatsUrls = Readonly<Record<keyof typeof BUS_RIGHTS, string>>;

/**
 * NATS with a user per kind of process, limited to its permissions, listening on this machine only. The configuration
 * contains passwords in plain text (mode 0600).
 */
export function createNats({
  runnable,
  folder,
  port,
  passwords,
}: ServerOptions & { passwords: Secrets["natsPasswords"] }): OwnServer & { readonly urls: NatsUrls } {
  mkdirSync(folder, { recursive: true });
  const configuration = join(folder, "nats.conf");
  const users = Object.entries(BUS_RIGHTS).map(([user, { publish, subscribe }]) => {
    const rights = `publish: ${rightsTo(publish)}, subscribe: ${rightsTo(subscribe)}`;
    return `{ user: "${user}", password: "${passwords[user as keyof NatsUrls]}", permissions: { ${rights} } }`;
  });
  const settings = [`listen: "127.0.0.1:${port}"`, `authorization { users: [\n${users.join("\n")}\n] }`];
  writeFileSync(configuration, settings.join("\n"), { mode: 0o600 });
  const urlOf = (user: keyof NatsUrls): string => `nats://${user}:${passwords[user]}@127.0.0.1:${port}`;
  return {
    component: {
      name: "nats",
      tier: "server",
      command: runnable.command,
      args: ["-c", configuration],
      env: serverEnvironment(runnable),
      isReady: () => greets({ host: "127.0.0.1", port, send: "", expect: "INFO {" }),
    },
    url: `nats://127.0.0.1:${port}`,
    urls: { gateway: urlOf("gateway"), identity: urlOf("identity"), topology: urlOf("topology") },
  };
}

function rightsTo(subjects: readonly string[]): string {
  return subjects.length === 0 ? '{ deny: ">" }' : `[${subjects.map((subject) => `"${subject}"`).join(", ")}]`;
}

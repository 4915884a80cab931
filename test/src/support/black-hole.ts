import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * An address of this machine where connections are neither accepted nor refused, as behind a firewall that drops
 * packets.
 */
export interface BlackHole {
  readonly url: string;
  stop(): Promise<void>;
}

const LISTENER = `
const server = require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () =>
  process.stdout.write(String(server.address().port)));
`;
const ENOUGH_TO_FILL = 8;

/** A process that listens and is then suspended; once its backlog is full, the kernel drops further connections. */
export async function startBlackHole(): Promise<BlackHole> {
  const child = spawn(process.execPath, ["-e", LISTENER], { stdio: ["ignore", "pipe", "inherit"] });
  const [text] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(text.toString());
  child.kill("SIGSTOP");
  const queued: Socket[] = [];
  let isFull = false;
  for (let tries = 0; !isFull && tries < ENOUGH_TO_FILL; tries++) {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    queued.push(socket);
    isFull = await Promise.race([once(socket, "connect").then(() => false), sleep(300).then(() => true)]);
  }
  if (!isFull) throw new Error("a suspended process still accepts connections");
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      for (const socket of queued) socket.destroy();
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

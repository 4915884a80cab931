/** The shipped edge in front of gateways on this machine. Requires `haproxy`. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@nts/local/processes/ports";
import { respondsOk } from "@nts/local/processes/probes";
import { ROOT } from "@nts/local/processes/system";
import { type Handle, startHandle } from "./handle.js";

/** Only where it listens and finds gateways differs from the shipped configuration. */
export function edgeConfiguration(port: number, gateways: readonly string[]): string {
  const servers = gateways.map((url, n) => `  server gateway-${n} ${new URL(url).host} no-check`).join("\n");
  return readFileSync(join(ROOT, "deploy/edge/haproxy.cfg"), "utf8")
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .replaceAll(/^ {2}server-template .*$/gm, servers);
}

/** The edge as a process. */
export interface Edge extends Handle {
  readonly url: string;
}

/** Starts the edge. @param folder for its configuration and log @throws Error without `haproxy` */
export async function startEdge(folder: string, gateways: readonly string[]): Promise<Edge> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const file = join(folder, "haproxy.cfg");
  await writeFile(file, edgeConfiguration(port, gateways));
  const handle = await startHandle(
    {
      name: "edge",
      tier: "gateway",
      command: "haproxy",
      args: ["-db", "-f", file],
      env: { PATH: process.env["PATH"] ?? "", SERVER_VERSION: "test", TRUST_PROXY_HOPS: "1" },
      isReady: () => respondsOk(`${url}/api/health`),
    },
    folder,
  );
  return { ...handle, url };
}

/** A proxy that returns a metric for every target, so that nothing is sent to the addresses of an inventory. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";

export interface MetricsProxy {
  readonly url: string;
  /** The requested targets, as `address:port`. */
  requestedTargets(): string[];
  stop(): Promise<void>;
}

export async function startMetricsProxy(): Promise<MetricsProxy> {
  const requestedTargets = new Set<string>();
  const server = createServer((request, response) => {
    const { host, port } = new URL(request.url ?? "", "http://unknown.example");
    requestedTargets.add(port === "" ? `${host}:80` : host);
    response.setHeader("content-type", "text/plain; version=0.0.4").end("demo_up 1\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestedTargets: () => [...requestedTargets].sort(),
    async stop() {
      server.closeAllConnections();
      await promisify(server.close.bind(server))();
    },
  };
}

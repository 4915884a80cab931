/**
 * A service of which a test sees every byte that reaches it. It answers whatever it can read as a service does: a JSON text
 * with 200, and a stream of events with one of them, whose end never comes. What it keeps is what came over its connections, not what its parser made of that.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { INTERNAL_HEADER_LIMIT_BYTES } from "@nts/shared/http/headers";
import { sendJson } from "./neighbour.js";

export interface RawService {
  readonly url: string;
  /**
   * Everything that came since the last asking, a character a byte, connections in the order of their beginning. A
   * connection on which nothing came but questions whether the service is ready is left out.
   */
  takeBytes(): string;
  stop(): Promise<void>;
}

const PROBES = /^(?:GET \/internal\/ready HTTP\/1\.1\r\n(?:[^\r\n]+\r\n)*\r\n)*$/;

/** Starts one on a free port. */
export async function startRawService(): Promise<RawService> {
  const connections: string[] = [];
  const limits = { keepAliveTimeout: 65_000, maxHeaderSize: INTERNAL_HEADER_LIMIT_BYTES };
  const server = createServer(limits, (request, response) => {
    request.resume().once("end", () => {
      if (request.url?.startsWith("/api/v1/changes/stream") !== true) return sendJson(response, {});
      response.writeHead(200, { "content-type": "text/event-stream" }).write("event: bookmark\ndata: {}\n\n");
    });
  });
  server.on("connection", (socket) => {
    const index = connections.push("") - 1;
    socket.on("data", (bytes) => {
      connections[index] = (connections[index] ?? "") + bytes.toString("latin1");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    takeBytes: () => {
      const all = connections.filter((bytes) => !PROBES.test(bytes)).join("");
      connections.fill("");
      return all;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

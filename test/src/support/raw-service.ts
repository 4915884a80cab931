/**
 * A service that records every byte of its connections, before parsing. It responds with JSON and 200, or with an
 * endless event stream with one event.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { INTERNAL_HEADER_LIMIT_BYTES } from "@nts/shared/http/headers";
import { sendJson } from "./service-stub.js";

export interface RawService {
  readonly url: string;
  /**
   * Everything received since the last call, one character per byte, connections in order. A connection with readiness
   * probes only is left out.
   */
  takeBytes(): string;
  stop(): Promise<void>;
}

const PROBES = /^(?:GET \/internal\/ready HTTP\/1\.1\r\n(?:[^\r\n]+\r\n)*\r\n)*$/;

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

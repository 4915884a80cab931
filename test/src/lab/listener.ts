/** The ports of machines of a laboratory, as its arguments say. Their sockets were opened by `sockets.ts`, each where its machine is. */
import { readFileSync } from "node:fs";
import { createServer, type Server as HttpServer, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createTcpServer, type Server } from "node:net";
import type { LabPort } from "./laboratory-hosts.js";
import type { OpenPort } from "./sockets.js";

const [pem = "", ports = "[]"] = process.argv.slice(2);
const material = readFileSync(pem, "utf8");
for (const { fd, kind } of JSON.parse(ports) as OpenPort[]) serverOf(kind).listen({ fd });
console.log("ready");

function serverOf(kind: LabPort["kind"]): Server | HttpServer {
  if (kind === "ssh")
    return createTcpServer((socket) => socket.on("error", () => undefined).end("SSH-2.0-OpenSSH_9.6p1\r\n"));
  if (kind === "quiet") return createTcpServer((socket) => socket.on("error", () => undefined).resume());
  const page = "<html><title>Lab</title></html>";
  const headers = { server: "nginx/1.26.0", "content-type": "text/html" };
  const respond = (_request: unknown, response: ServerResponse): void => {
    response.writeHead(200, headers).end(page);
  };
  return kind === "http" ? createServer(respond) : createHttpsServer({ key: material, cert: material }, respond);
}

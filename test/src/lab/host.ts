/** A machine of the laboratory: listens as its specification, the first argument, says. Started in its network namespace. */
import { readFileSync } from "node:fs";
import { createServer, type Server as HttpServer, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createTcpServer, type Server } from "node:net";
import createMulticastDns from "multicast-dns";
import type { LabHost, LabPort } from "./laboratory-hosts.js";

const { ip, mdnsName, ports, pem } = JSON.parse(process.argv[2] ?? "{}") as LabHost & { readonly pem: string };
for (const port of ports) serverOf(port).listen(port.number, ip);
if (mdnsName !== null) announce(mdnsName);

function serverOf({ kind }: LabPort): Server | HttpServer {
  if (kind === "ssh")
    return createTcpServer((socket) => socket.on("error", () => undefined).end("SSH-2.0-OpenSSH_9.6p1\r\n"));
  if (kind === "quiet") return createTcpServer((socket) => socket.on("error", () => undefined).resume());
  const page = "<html><title>Lab</title></html>";
  const headers = { server: "nginx/1.26.0", "content-type": "text/html" };
  const respond = (_request: unknown, response: ServerResponse): void => {
    response.writeHead(200, headers).end(page);
  };
  if (kind === "http") return createServer(respond);
  const material = readFileSync(pem, "utf8");
  return createHttpsServer({ key: material, cert: material }, respond);
}

/** Responds to questions for services as printers do. */
function announce(name: string): void {
  const dns = createMulticastDns({ interface: ip });
  const type = "_http._tcp.local";
  const instance = `${name}.${type}`;
  dns.on("query", ({ questions }) => {
    for (const question of questions) {
      if (question.name === "_services._dns-sd._udp.local")
        dns.respond([{ name: question.name, type: "PTR", ttl: 120, data: type }]);
      if (question.name === type)
        dns.respond({
          answers: [{ name: type, type: "PTR", ttl: 120, data: instance }],
          additionals: [
            { name: instance, type: "SRV", ttl: 120, data: { target: `${name}.local`, port: 80 } },
            { name: `${name}.local`, type: "A", ttl: 120, data: ip },
          ],
        });
    }
  });
}

/** The upstream of every compared gateway: responds to any request with the same 2 kB of JSON. Argument: the port. */
import { createServer } from "node:http";

const BODY = Buffer.from(JSON.stringify({ id: "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f", text: "x".repeat(1_996) }));
const HEADERS = { "content-type": "application/json; charset=utf-8", "content-length": BODY.length };

createServer({ keepAliveTimeout: 75_000 }, (_request, response) => {
  response.writeHead(200, HEADERS).end(BODY);
}).listen(Number(process.argv[2]), "127.0.0.1");

import { createServer } from "node:net";
import { StartProblem } from "../start-problem.js";

/** Below the range from which systems take the ports of outgoing connections, so that none of those sits on a port we chose. */
const FIRST = 20_000;
const SPAN = 12_000;

/** Each process walks its own stretch: two that choose at the same moment do not choose the same port. */
let cursor = (process.pid * 64) % SPAN;

/** Ports of 127.0.0.1 on which nothing listens now, all different, never offered twice by this process until all were. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tried = 0; ports.length < count; tried += 1) {
    if (tried > SPAN) throw new StartProblem("No free port is left between 20000 and 32000; end some programs.");
    const port = FIRST + cursor;
    cursor = (cursor + 1) % SPAN;
    if ((await listenError(port)) === null) ports.push(port);
  }
  return ports;
}

/** The earlier port when it is still free, else a new one. */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await listenError(preferred)) === null) return preferred;
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error("freePorts answered no port");
  return port;
}

/** @throws StartProblem naming the variable when a port that the caller wants is taken or not allowed */
export async function requireFreePort(port: number, variable: string): Promise<void> {
  const code = await listenError(port);
  if (code === null) return;
  const reason = code === "EACCES" ? "may not be used without root rights" : "is already in use";
  throw new StartProblem(
    `Port ${port} ${reason}; choose another one, for example ${variable}=${port + 1000} npm start.`,
  );
}

async function listenError(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? error.message);
    });
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      server.close(() => {
        resolve(null);
      });
    });
  });
}

/**
 * Chooses free ports. Another start may find the same port free before its server listens, so an offered port is
 * claimed until this process ends, by listening on its twin: a port with a fixed offset that is never offered.
 */
import { createServer, type Server } from "node:net";
import { StartProblem } from "../start-problem.js";

/** Including twins, below the ephemeral port range, so that no outgoing connection occupies one. */
const FIRST = 20_000;
const SPAN = 6_000;

/** Randomized per process, so that concurrent starts rarely collide. */
let cursor = (process.pid * 64) % SPAN;

/** Listeners on the twins of claimed ports. */
const claims = new Map<number, Server>();

/** Distinct free ports of 127.0.0.1, claimed while this process lives. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tried = 0; ports.length < count; tried += 1) {
    if (tried > SPAN) throw new StartProblem("No port between 20000 and 26000 is free; stop some programs.");
    const port = FIRST + cursor;
    cursor = (cursor + 1) % SPAN;
    if (claims.has(port) || !(await claim(port))) continue;
    if (await isFree(port)) ports.push(port);
    else release(port);
  }
  return ports;
}

/** The earlier port if it is still free, otherwise a new one. */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await claim(preferred))) {
    if (await isFree(preferred)) return preferred;
    release(preferred);
  }
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error("freePorts returned no port");
  return port;
}

/** @throws StartProblem with the variable if a requested port is taken or not allowed */
export async function requireFreePort(port: number, variable: string): Promise<void> {
  const found = await listenOn(port);
  if (typeof found === "string") {
    const reason = found === "EACCES" ? "may not be used without root rights" : "is already in use";
    throw new StartProblem(
      `Port ${port} ${reason}; choose another one, for example ${variable}=${port + 1000} npm start.`,
    );
  }
  await closed(found);
  // Keeps other parts of this start from being offered it. A claim without a listener is no reason to refuse.
  await claim(port);
}

/** Whether the port is claimed by us; ports that are never offered need no claim. */
async function claim(port: number): Promise<boolean> {
  if (port < FIRST || port >= FIRST + SPAN || claims.has(port)) return true;
  const twin = await listenOn(port + SPAN);
  if (typeof twin === "string") return false;
  claims.set(port, twin.unref());
  return true;
}

function release(port: number): void {
  claims.get(port)?.close();
  claims.delete(port);
}

async function isFree(port: number): Promise<boolean> {
  const found = await listenOn(port);
  if (typeof found === "string") return false;
  await closed(found);
  return true;
}

/** The listener, or the error code that prevents it. */
async function listenOn(port: number): Promise<Server | string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? error.message);
    });
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      resolve(server);
    });
  });
}

async function closed(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}

/**
 * Ports for the processes of a system. Between the moment in which a port is found free and the one in which its server
 * listens, another start on this machine may find it free too. So a port that was offered is claimed until this process ends,
 * however it ends, by listening on its twin, a port so much higher that is never offered.
 */
import { createServer, type Server } from "node:net";
import { StartProblem } from "../start-problem.js";

/** Twins included below the range from which systems take the ports of outgoing connections, so that none of those sits on one. */
const FIRST = 20_000;
const SPAN = 6_000;

/** Each process begins somewhere else: two that choose at the same moment seldom meet. */
let cursor = (process.pid * 64) % SPAN;

/** What listens on the twins of the ports that are claimed. */
const claims = new Map<number, Server>();

/** Ports of 127.0.0.1 on which nothing listens now, all different, offered to no other process while this one lives. */
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

/** The earlier port when it is still free, else a new one. */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await claim(preferred))) {
    if (await isFree(preferred)) return preferred;
    release(preferred);
  }
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error("freePorts answered no port");
  return port;
}

/** @throws StartProblem naming the variable when a port that the caller wants is taken or not allowed */
export async function requireFreePort(port: number, variable: string): Promise<void> {
  const found = await listenOn(port);
  if (typeof found === "string") {
    const reason = found === "EACCES" ? "may not be used without root rights" : "is already in use";
    throw new StartProblem(
      `Port ${port} ${reason}; choose another one, for example ${variable}=${port + 1000} npm start.`,
    );
  }
  await closed(found);
  // So that it is not offered to another process of this start. The claim of somebody who does not listen is no reason to refuse.
  await claim(port);
}

/** Whether the port is ours now; one that is never offered needs no claim. */
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

/** What listens there now, or the code of the error that keeps it from listening. */
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

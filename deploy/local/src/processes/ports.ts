/**
 * Ports for the processes of a system. Between the moment in which a port is found free and the one in which its server
 * listens, another start on this machine may find it free too; so each port offered is claimed with a file that names the
 * process it was offered to, until that process ends.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { StartProblem } from "../start-problem.js";

/** Below the range from which systems take the ports of outgoing connections, so that none of those sits on a port we chose. */
const FIRST = 20_000;
const SPAN = 12_000;

/** Where the claims of this user's processes are. */
const CLAIMS = join(tmpdir(), `nts-ports-${userInfo().uid}`);

/** Each process begins somewhere else: two that choose at the same moment seldom meet. */
let cursor = (process.pid * 64) % SPAN;

const claimed = new Set<number>();
process.once("exit", () => {
  for (const port of claimed) rmSync(fileOf(port), { force: true });
});

/** Ports of 127.0.0.1 on which nothing listens now, all different, offered to no other process while this one lives. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tried = 0; ports.length < count; tried += 1) {
    if (tried > SPAN) throw new StartProblem("No free port is left between 20000 and 32000; end some programs.");
    const port = FIRST + cursor;
    cursor = (cursor + 1) % SPAN;
    if (claimed.has(port) || !claim(port)) continue;
    if ((await listenError(port)) === null) ports.push(port);
    else release(port);
  }
  return ports;
}

/** The earlier port when it is still free, else a new one. */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && claim(preferred)) {
    if ((await listenError(preferred)) === null) return preferred;
    release(preferred);
  }
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error("freePorts answered no port");
  return port;
}

/** @throws StartProblem naming the variable when a port that the caller wants is taken or not allowed */
export async function requireFreePort(port: number, variable: string): Promise<void> {
  const code = await listenError(port);
  if (code !== null) {
    const reason = code === "EACCES" ? "may not be used without root rights" : "is already in use";
    throw new StartProblem(
      `Port ${port} ${reason}; choose another one, for example ${variable}=${port + 1000} npm start.`,
    );
  }
  claim(port); // so that it is not offered to another process of this start; a claim of somebody who does not listen is no reason to refuse
}

/** Whether the port is ours now: claimed by this process, or by none that lives. */
function claim(port: number): boolean {
  if (claimed.has(port)) return true;
  mkdirSync(CLAIMS, { recursive: true, mode: 0o700 });
  if (isHeldByAnother(port)) return false;
  try {
    writeFileSync(fileOf(port), String(process.pid), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  claimed.add(port);
  return true;
}

function release(port: number): void {
  claimed.delete(port);
  rmSync(fileOf(port), { force: true });
}

/** Removes the claim of a process that was killed. */
function isHeldByAnother(port: number): boolean {
  let holder: string;
  try {
    holder = readFileSync(fileOf(port), "utf8");
  } catch {
    return false;
  }
  if (holder === "" || isAlive(Number(holder))) return true; // empty: it is being written
  rmSync(fileOf(port), { force: true });
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function fileOf(port: number): string {
  return join(CLAIMS, String(port));
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

import { type DestinationStream, pino, type Logger } from "pino";

export type Log = Logger;

// Headers and members that can hold a secret; nothing below them is ever written.
const SECRET_PATHS = ["authorization", "cookie", "key", "password", "token", "secret"].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

// A write for every line would cost more than making it, and takes a thread. What is in the buffer at the end is written by
// the exit.
const BUFFER_BYTES = 16_384;
const FLUSH_MS = 100;

/**
 * A logger of JSON lines, which are written a moment later.
 *
 * @param level of pino, such as `info`
 * @param descriptor where to: 1 is standard output, 2 standard error
 */
export function createLog(processName: string, level: string, descriptor: 1 | 2 = 1): Log {
  const options = {
    name: processName,
    level,
    base: { process: processName, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS, censor: "[secret]" },
  };
  const destination = pino.destination({
    ...{ dest: descriptor, sync: false, periodicFlush: FLUSH_MS },
    ...{ minLength: BUFFER_BYTES, maxWrite: 2 * BUFFER_BYTES },
  });
  const log = pino(options, destination);
  destinations.set(log, destination);
  return log;
}

/** Where the logs write to, for lines that are made without them. */
const destinations = new WeakMap<Log, DestinationStream>();

/** Writes one line with these members. */
export type WriteLine = (members: Readonly<Record<string, unknown>>) => void;

/**
 * Makes the function that writes the lines of one kind, at `info`. What it is given must hold no secret: for lines as many as
 * requests, formatting and searching them pino's way would be a tenth of the work on a request.
 *
 * @param log one that `createLog` has made
 */
export function createLines(log: Log, message: string): WriteLine {
  if (!log.isLevelEnabled("info")) return () => undefined;
  const level = pino.levels.values["info"];
  const fixed = JSON.stringify({ ...log.bindings(), msg: message }).slice(1, -1);
  const stream = destinations.get(log);
  let lines = "";
  const writeAll = (): void => {
    stream?.write(lines);
    lines = "";
  };
  return (members) => {
    // The stream measures all that it holds whenever it is given something: once for the lines of a turn is enough.
    if (lines === "") setImmediate(writeAll);
    lines += `{"level":${level}${pino.stdTimeFunctions.isoTime()},${fixed},${JSON.stringify(members).slice(1)}\n`;
  };
}

import { type DestinationStream, pino, type Logger } from "pino";

export type Log = Logger;

// Headers and members that may contain secrets; they are never logged.
const SECRET_PATHS = ["authorization", "cookie", "key", "password", "token", "secret"].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

// Buffered, because a write per line would cost more than making it and occupies a thread. The rest is flushed on exit.
const BUFFER_BYTES = 16_384;
const FLUSH_MS = 100;
/** Lines beyond this are dropped, so that a reader that hangs does not use up the memory: some seconds at full load. */
const MOST_BUFFERED_BYTES = 8 * 1_048_576;

/**
 * Creates a logger of JSON lines, written with a short delay.
 *
 * @param level of pino, such as `info`
 * @param descriptor 1 for standard output, 2 for standard error
 */
export function createLog(processName: string, level: string, descriptor: 1 | 2 = 1): Log {
  const options = {
    name: processName,
    level,
    base: { "service.name": processName, "process.pid": process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS, censor: "[secret]" },
  };
  const destination = destinationOf(descriptor);
  const log = pino(options, destination);
  destinations.set(log, destination);
  return log;
}

// One for all logs of a process.
const opened: Partial<Record<1 | 2, DestinationStream>> = {};

function destinationOf(descriptor: 1 | 2): DestinationStream {
  return (opened[descriptor] ??= openDestination(descriptor));
}

let dropped = 0;

/** The number of lines that were dropped because their reader did not read. */
export function droppedLines(): number {
  return dropped;
}

/** Flushes a while after a write; pino's periodic flush also wakes a process that logs nothing. */
function openDestination(descriptor: 1 | 2): DestinationStream & { flushSync(): void } {
  const buffered = { minLength: BUFFER_BYTES, maxWrite: 2 * BUFFER_BYTES, maxLength: MOST_BUFFERED_BYTES };
  const destination = pino.destination({ dest: descriptor, sync: false, ...buffered });
  destination.on("drop", (lines: string) => (dropped += lines.split("\n").length - 1));
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    timer = null;
    destination.flush();
  };
  return {
    write: (lines) => {
      destination.write(lines);
      timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    /** Called by pino after a fatal line. */
    flushSync: () => {
      destination.flushSync();
    },
  };
}

/** The destination of the logs, for lines made without pino. */
const destinations = new WeakMap<Log, DestinationStream>();

/** Writes one line. @param members as in JSON, without braces */
export type WriteLine = (members: string) => void;

/**
 * Creates a function that writes lines of one kind at `info`. Its input must not contain secrets: pino's formatting and
 * redaction would be a tenth of the cost of a request.
 *
 * @param log created by `createLog`
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
    // The stream measures its whole buffer on each write, so the lines of a tick are written at once.
    if (lines === "") setImmediate(writeAll);
    lines += `{"level":${level}${timeMember()},${fixed},${members}}\n`;
  };
}

let madeAt = 0;
let madeMember = "";

/** The member `time`, made once per millisecond. */
function timeMember(): string {
  const now = Date.now();
  if (now !== madeAt) [madeAt, madeMember] = [now, pino.stdTimeFunctions.isoTime()];
  return madeMember;
}

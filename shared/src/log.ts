import { pino, type Logger } from "pino";

export type Log = Logger;

// Headers and members that can hold a secret; nothing below them is ever written.
const SECRET_PATHS = ["authorization", "cookie", "key", "password", "token", "secret"].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/** A logger of JSON lines to standard output. @param level of pino, such as `info` */
export function createLog(processName: string, level: string): Log {
  return pino({
    name: processName,
    level,
    base: { process: processName, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS, censor: "[secret]" },
  });
}

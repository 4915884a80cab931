import { pino, type Logger } from "pino";

export type Log = Logger;

// Headers and members that can hold a secret; nothing below them is ever written.
const SECRET_PATHS = ["authorization", "cookie", "key", "password", "token", "secret"].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/**
 * A logger of JSON lines.
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
  return pino(options, pino.destination(descriptor));
}

import type { IncomingHttpHeaders } from "node:http";
import { RESPOND_ASYNC } from "./headers.js";

/** Whether a request asks for a job instead of its result (RFC 7240). */
export function prefersJob({ prefer = "" }: IncomingHttpHeaders): boolean {
  const preferences = Array.isArray(prefer) ? prefer.join(",") : prefer;
  return preferences.split(/[,;]/).some((one) => one.trim().toLowerCase() === RESPOND_ASYNC);
}

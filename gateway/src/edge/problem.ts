import Negotiator from "negotiator";
import { JSON_TYPE } from "./response-headers.js";

/** @see https://www.rfc-editor.org/rfc/rfc9457 */
export const PROBLEM_TYPE = "application/problem+json";

/** Failures are problems only for clients that name them, and like them as much as JSON. */
export function failureTypeFor(accept: string | undefined): string {
  if (accept?.includes(PROBLEM_TYPE) !== true) return JSON_TYPE;
  const negotiator = new Negotiator({ headers: { accept } });
  return negotiator.mediaType([PROBLEM_TYPE, "application/json"]) === PROBLEM_TYPE ? PROBLEM_TYPE : JSON_TYPE;
}

import { CHALLENGE, CHALLENGE_FIELD, JSON_TYPE, PRIVATE_FIELDS } from "./response-headers.js";
import type { HeaderList } from "./header-list.js";

export interface JsonHeadOptions {
  /** Seconds until the request may be repeated; null if it does not say. */
  readonly waitSeconds?: number | null;
  /** By default `application/json`. */
  readonly type?: string;
  /** How to authenticate, of a 401. */
  readonly challenge?: string;
}

/** The headers of a JSON text. */
export function jsonHead(
  status: number,
  text: string,
  { waitSeconds = null, type = JSON_TYPE, challenge = CHALLENGE }: JsonHeadOptions = {},
): HeaderList {
  const headers = PRIVATE_FIELDS.copy().add("Content-Type", type);
  if (status === 401) headers.add(CHALLENGE_FIELD, challenge);
  if (waitSeconds !== null) headers.add("Retry-After", waitSeconds);
  return headers.add("Content-Length", Buffer.byteLength(text));
}

import { CHALLENGE, JSON_FIELDS } from "./response-headers.js";
import type { HeaderList } from "./header-list.js";

/** The headers of a JSON text. @param waitSeconds until the request may be repeated; null if it does not say */
export function jsonHead(status: number, text: string, waitSeconds: number | null = null): HeaderList {
  const headers = JSON_FIELDS.copy();
  if (status === 401) headers.add(...CHALLENGE);
  if (waitSeconds !== null) headers.add("Retry-After", waitSeconds);
  return headers.add("Content-Length", Buffer.byteLength(text));
}

// The ids of the requests of this tab, to tell its own changes from those of others.

const MOST = 500;
const ids = new Set<string>();

/** Remembers the request of an answer, and of a few before it. */
export function noteRequest({ headers }: Pick<Response, "headers">): void {
  const id = headers.get("x-request-id");
  if (id === null) return;
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > MOST && oldest !== undefined) ids.delete(oldest);
}

/** True when the request was sent from this tab not long ago. */
export function isOwnRequest(id: string): boolean {
  return ids.has(id);
}

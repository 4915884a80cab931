// Ids of requests sent by this tab, to distinguish its own changes from those of others.

const MOST = 500;
const ids = new Set<string>();

export function noteRequest({ headers }: Pick<Response, "headers">): void {
  const id = headers.get("x-request-id");
  if (id === null) return;
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > MOST && oldest !== undefined) ids.delete(oldest);
}

/** True if this tab has sent the request recently. */
export function isOwnRequest(id: string): boolean {
  return ids.has(id);
}

/**
 * A host's ETag consists of its own revision and the sum of its services' revisions, as services may change without
 * writing their host. Adding or removing services increments the host's own, so no pair ever repeats.
 */
export function hostRevision(own: number, ofServices: number): string {
  return `${own}-${ofServices}`;
}

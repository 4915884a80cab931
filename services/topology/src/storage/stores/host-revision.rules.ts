/**
 * What the ETag of a host is made from: its own revision, and those of its services added up. Services can change without
 * their host being written, and then their sum grows. Everything else about a host or on it writes the host, too: its own
 * revision grows whenever a service comes or goes, so that a sum which became smaller never makes an earlier pair again.
 */
export function hostRevision(own: number, ofServices: number): string {
  return `${own}-${ofServices}`;
}

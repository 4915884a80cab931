// What listens on TCP does not tell whether a browser can open it. These are the ports on which web interfaces of what people
// run usually are; one that is missing has no link, which is better than one that leads nowhere.

const HTTP: ReadonlySet<number> = new Set([
  ...[80, 81, 1880, 2283, 3000, 3001, 3456, 4000, 5000, 5380, 5601, 5678, 6052, 7575, 7878, 8000, 8008, 8065, 8069],
  ...[8080, 8081, 8088, 8090, 8096, 8123, 8181, 8200, 8404, 8581, 8888, 8989, 9000, 9090, 9091, 9093, 9980, 19999, 32400],
]); // prettier-ignore
const HTTPS: ReadonlySet<number> = new Set([443, 4443, 5001, 5480, 8006, 8007, 8043, 8443, 8834, 8920, 8971, 9443, 10000]); // prettier-ignore

/** How a browser opens a TCP port, as far as that can be told from its number; null when it probably does not. */
export function webSchemeOf(port: number): "http" | "https" | null {
  if (HTTPS.has(port)) return "https";
  return HTTP.has(port) ? "http" : null;
}

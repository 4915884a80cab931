import { socketText } from "./sockets.rules.js";

// Which sockets a browser can open, and with which scheme: by well-known port first, then by service definition.

export type WebScheme = "http" | "https";

const HTTPS_PORTS: ReadonlySet<number> = new Set([
  443, 4443, 5001, 6443, 7443, 8006, 8007, 8043, 8443, 8834, 8920, 9443, 10443,
]);
const HTTP_PORTS: ReadonlySet<number> = new Set([
  80, 81, 3000, 3001, 5000, 5601, 7575, 8000, 8008, 8080, 8081, 8082, 8088, 8090, 8096, 8123, 8888, 9000, 9090, 9091,
  9093, 32400,
]);

/** Exceptions to the well-known ports for these definitions. */
const OTHERWISE: Readonly<Record<string, Readonly<Record<number, WebScheme | null>>>> = {
  clickhouse: { 9000: null },
  cockpit: { 9090: "https" },
  frigate: { 8971: "https" },
  graylog: { 9000: "http" },
  "kubernetes api": { 6443: null },
  minio: { 9000: null, 9001: "http" },
  portainer: { 8000: null },
  sonos: { 1443: null },
  "splunk enterprise": { 8088: null },
  synapse: { 8008: null },
  webmin: { 10_000: "https" },
};

/** Definitions that serve web pages on any port not listed in `NO_PAGES`. */
const WEB_DEFINITIONS: ReadonlySet<string> = new Set([
  "adguard home",
  "apache http server",
  "apache tomcat",
  "bookstack",
  "caddy",
  "confluence",
  "dashy",
  "esphome",
  "forgejo",
  "gitea",
  "grafana",
  "heimdall",
  "home assistant",
  "homebridge",
  "homepage",
  "http",
  "http proxy",
  "immich",
  "jellyfin",
  "jenkins",
  "jira",
  "kibana",
  "lighttpd",
  "netdata",
  "nextcloud",
  "nginx",
  "node-red",
  "octoprint",
  "odoo",
  "paperless-ngx",
  "pi-hole",
  "prometheus",
  "radarr",
  "sonarr",
  "syncthing",
  "technitium dns server",
  "uptime kuma",
  "vaultwarden",
  "vikunja",
  "wordpress",
]);

/** Ports of these definitions that do not serve web pages. */
const NO_PAGES: ReadonlySet<number> = new Set([22, 53, 853, 8009, 21_027, 22_000]);

/** The URL scheme for a port of a service; null if a browser cannot open it. */
export function webSchemeOf(
  definition: string,
  { port, protocol }: { readonly port: number; readonly protocol: string },
): WebScheme | null {
  if (protocol !== "Tcp") return null;
  const name = definition.trim().toLowerCase();
  const otherwise = OTHERWISE[name]?.[port];
  if (otherwise !== undefined) return otherwise;
  if (HTTPS_PORTS.has(port)) return "https";
  if (HTTP_PORTS.has(port)) return "http";
  if (name === "https") return "https";
  return WEB_DEFINITIONS.has(name) && !NO_PAGES.has(port) ? "http" : null;
}

/** False for link-local addresses, which a browser cannot reach without a zone. */
export function isReachable(address: string): boolean {
  return !/^fe[89ab]/i.test(address) && !address.startsWith("169.254.");
}

const DEFAULT_PORTS = { http: 80, https: 443 } as const;

/** Builds a URL from a numeric address only, so that user input cannot end up in a link; null if it is not reachable. */
export function urlOf(scheme: WebScheme, address: string, port: number): string | null {
  if (!/^[\da-f.:]+$/i.test(address) || !isReachable(address)) return null;
  const host = socketText(address, port);
  return `${scheme}://${port === DEFAULT_PORTS[scheme] ? host.slice(0, -`:${port}`.length) : host}/`;
}

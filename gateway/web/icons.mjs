// `node icons.mjs`: writes the icons of the map to src/map/*.generated.ts: line icons of Lucide (ISC) for roles and
// categories, as paths in a square of 24 units, and marks of Simple Icons (CC0) for products of the catalogue, in one of 240.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as marks from "simple-icons";
import svgpath from "svgpath";
import { CATALOGUE } from "../../services/topology/dist/values/definitions/catalogue.js";
import { HOSTS } from "../../shared/dist/sample/bodies.js";

/** Lucide's names for roles and categories. */
const LINES = {
  Router: "router",
  Switch: "network",
  AccessPoint: "wifi",
  Firewall: "brick-wall-fire",
  Server: "server",
  Hypervisor: "boxes",
  Nas: "hard-drive",
  Printer: "printer",
  Camera: "cctv",
  Phone: "phone",
  Computer: "monitor",
  Mobile: "smartphone",
  Media: "tv",
  Iot: "cpu",
  Ups: "battery-charging",
  Other: "box",
  Guest: "box",
  Unknown: "ethernet-port",
  NetworkCore: "network",
  NetworkAccess: "wifi",
  NetworkSecurity: "shield",
  Storage: "hard-drive",
  Backup: "archive",
  HomeAutomation: "house",
  Virtualization: "boxes",
  DNS: "route",
  VPN: "globe-lock",
  SNMP: "gauge",
  Monitoring: "chart-line",
  AdBlock: "shield-ban",
  ReverseProxy: "split",
  Workstation: "monitor",
  IoT: "cpu",
  Database: "database",
  Development: "git-branch",
  Dashboard: "layout-grid",
  MessageQueue: "arrow-left-right",
  IdentityAndAccess: "id-card",
  Office: "file-text",
  ProjectManagement: "calendar-check",
  Messaging: "messages-square",
  Conferencing: "video",
  Telephony: "headset",
  Email: "mail",
  Publishing: "book-open",
  OpenPorts: "plug",
  Custom: "puzzle",
};

/** Marks of products whose names in the catalogue differ from those of the set. */
const ALIASES = {
  Chromecast: "googlecast",
  "Philips Hue Bridge": "philipshue",
  iPhone: "apple",
  "Android Debug Bridge": "android",
  "HP JetDirect": "hp",
  "MikroTik RouterOS": "mikrotik",
  "FRITZ!Box": "fritz",
  "UniFi Controller": "ubiquiti",
  "UniFi Access Point": "ubiquiti",
  "Omada Controller": "tplink",
  "Cisco IOS": "cisco",
  FortiGate: "fortinet",
  "AdGuard Home": "adguard",
  Traefik: "traefikproxy",
  Envoy: "envoyproxy",
  "Cloudflare Tunnel": "cloudflare",
  "Proxmox VE": "proxmox",
  "VMware ESXi": "vmware",
  "VMware vCenter Server": "vmware",
  "Kubernetes API": "kubernetes",
  "Prometheus Node Exporter": "prometheus",
  "Grafana Loki": "grafana",
  "Splunk Enterprise": "splunk",
  "OpenTelemetry Collector": "opentelemetry",
  "Argo CD": "argo",
  "Docker Registry": "docker",
  "HashiCorp Vault": "vault",
  "ONLYOFFICE Docs": "onlyoffice",
  Synapse: "matrix",
  ejabberd: "xmpp",
  "Jitsi Meet": "jitsi",
  "Apache HTTP Server": "apache",
  Mosquitto: "eclipsemosquitto",
  Kafka: "apachekafka",
  NATS: "natsdotio",
};

/** Marks with more detail than a tile can show are left out. */
const MOST_LETTERS = 2_400;

/** A tenth of the units of the set, which is less than a tenth of a pixel on a tile: whole numbers are half as long. */
const SCALE = 10;

/** Products that many people have; their marks come with the map, and so do those of sample data. */
const COMMON = [
  ...["Jellyfin", "Plex", "Emby", "Immich", "Sonarr", "Radarr", "qBittorrent", "Syncthing", "AdGuard Home", "Traefik"],
  ...[
    "Caddy",
    "Apache HTTP Server",
    "Tailscale",
    "TrueNAS",
    "openmediavault",
    "Unraid",
    "FRITZ!Box",
    "pfSense",
    "OpenWrt",
  ],
  ...[
    "Cockpit",
    "ESPHome",
    "Tasmota",
    "Shelly",
    "Sonos",
    "MariaDB",
    "InfluxDB",
    "Homepage",
    "Duplicati",
    "ntfy",
    "GitLab",
  ],
  ...["Kubernetes API", "MikroTik RouterOS", "Elasticsearch", "OpenVPN", "BookStack"],
];

const bySlug = new Map(Object.values(marks).map((mark) => [mark.slug, mark]));
const byTitle = new Map(Object.values(marks).map((mark) => [foldedTitle(mark.title), mark]));

function foldedTitle(title) {
  return title.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

function markOf(name) {
  const mark = bySlug.get(ALIASES[name]) ?? byTitle.get(foldedTitle(name));
  if (mark === undefined) return [];
  const path = svgpath(mark.path)
    .scale(SCALE)
    .abs()
    .round(0)
    .rel()
    .round(0)
    .toString()
    .replaceAll(/ (?=[a-z])/gi, "");
  return path.length > MOST_LETTERS ? [] : [[name, path]];
}

async function lineOf([name, icon]) {
  const { __iconData } = await import(`lucide-react/icons/${icon}`);
  return [name, __iconData.node.map(pathOf).join("")];
}

/** The path of one element. */
function pathOf([element, attributes]) {
  const { d, points } = attributes;
  const numberOf = (name) => Number(attributes[name] ?? 0);
  switch (element) {
    case "path":
      // a relative start would continue from the element before
      return svgpath(d).abs().round(2).toString();
    case "circle":
      return ellipse(numberOf("cx"), numberOf("cy"), numberOf("r"), numberOf("r"));
    case "ellipse":
      return ellipse(numberOf("cx"), numberOf("cy"), numberOf("rx"), numberOf("ry"));
    case "line":
      return `M${attributes.x1} ${attributes.y1}L${attributes.x2} ${attributes.y2}`;
    case "polyline":
    case "polygon":
      return `M${points}${element === "polygon" ? "Z" : ""}`;
    case "rect":
      return roundedRect(numberOf("x"), numberOf("y"), numberOf("width"), numberOf("height"), numberOf("rx"));
    default:
      throw new Error(`An icon has an element ${element}, for which there is no path.`);
  }
}

function roundedRect(x, y, width, height, r) {
  const corner = (dx, dy) => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
  return (
    `M${x + r} ${y}h${width - 2 * r}${corner(r, r)}v${height - 2 * r}${corner(-r, r)}` +
    `h${2 * r - width}${corner(-r, -r)}v${2 * r - height}${corner(r, -r)}z`
  );
}

function ellipse(cx, cy, rx, ry) {
  return `M${cx - rx} ${cy}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0`;
}

const lines = Object.fromEntries(await Promise.all(Object.entries(LINES).map(lineOf)));
const found = Object.fromEntries(CATALOGUE.flatMap(({ name }) => markOf(name)));
const declared = (name, paths) =>
  `export const ${name}: Readonly<Record<string, string>> = ${JSON.stringify(paths, null, 2)};\n`;
const write = (file, text) =>
  writeFileSync(join(import.meta.dirname, "src/map", file), `// Generated by icons.mjs; do not edit.\n\n${text}`);
write(
  "line-icons.generated.ts",
  `/** Of roles and categories: outlines, from Lucide (ISC). */\n${declared("LINE_ICONS", lines)}`,
);
const first = new Set([...COMMON, ...HOSTS.flatMap(({ services }) => services.map(([, definition]) => definition))]);
const unknown = COMMON.filter((name) => found[name] === undefined);
if (unknown.length > 0) throw new Error(`These have no mark: ${unknown.join(", ")}`);
const those = (isFirst) => Object.fromEntries(Object.entries(found).filter(([name]) => first.has(name) === isFirst));
const others = those(false);
write(
  "common-marks.generated.ts",
  `/** Of common products by their name in the catalogue: filled, from Simple Icons (CC0). */\n` +
    `${declared("COMMON_MARKS", those(true))}\n/** The products whose marks are in a file of their own. */\n` +
    `export const OTHER_MARKED: readonly string[] = ${JSON.stringify(Object.keys(others))};\n`,
);
write(
  "marks.generated.ts",
  `/** Of other products by their name in the catalogue: filled, from Simple Icons (CC0). */\n${declared("OTHER_MARKS", others)}`,
);
console.log(
  `${Object.keys(lines).length} line icons, ${Object.keys(found).length} marks of ${CATALOGUE.length} products`,
);

import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { createMemoryNetwork } from "../testing/network.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
import { compose } from "./compose.js";

const CONFIG = "import the output of `docker compose config`";
const UNNAMED = (line: number, name: string): string =>
  `${line} project name: it is not in the file, and containers without a port are recognized by their names, such as ${name}: add \`name\` if another project on the machine has the same`;

describe("Compose files", () => {
  it.each([
    [
      "shop",
      ["box []: api:  · shop-db:  · web: 443/Tcp@all 80/Tcp@all"],
      [
        "24 port 127.0.0.1:5432:5432 of container shop-db: it is published on the loopback address only",
        UNNAMED(1, "api"),
      ],
    ],
    [
      "media",
      [
        "box []: gluetun: 8080/Tcp@all · homeassistant:  · jellyfin: 1900/Udp@all 7359/Udp@all 8096/Tcp@all · qbittorrent:  · sonarr: 8989/Tcp@all",
      ],
      [],
    ],
    [
      "macvlan",
      [
        "box []: camera:  · pihole: 53/Tcp@all 53/Udp@all 8081/Tcp@all",
        "pihole [192.168.1.53 7C:2F:80:31:00:53, fd00:1::53 7C:2F:80:31:00:53]: pihole: 53/Tcp@all 53/Udp@all 80/Tcp@all",
        "unifi [192.168.1.54 7C:2F:80:31:00:54]: unifi: ",
      ],
      [
        "2 address 172.31.0.2 of container pihole: only its machine reaches the network inner",
        "27 address in lan of container camera: the file does not say it",
        UNNAMED(1, "camera"),
      ],
    ],
    [
      "resolved",
      [
        "box [192.168.1.40]: shop-cache-1:  · shop-debug-1:  · shop-web-1: 80/Tcp@all 9000/Tcp@192.168.1.40 · shop-worker-1: ",
      ],
      ["2 port 8080 of container shop-debug-1: it is published on the loopback address only"],
    ],
    [
      "config",
      [
        "box []: monitoring-grafana-1: 3000/Tcp@all · monitoring-node-exporter-1:  · monitoring-prometheus-1:  · monitoring-syslog-1: 514/Udp@all",
      ],
      [
        "22 port 9090 of container monitoring-prometheus-1: it is published on the loopback address only",
        "32 port 601 of container monitoring-syslog-1: its machine chooses where to publish it; `docker inspect` says where",
      ],
    ],
    [
      "older-config",
      ["box []: broker: 1883/Tcp@all 9001/Tcp@all · db:  · nextcloud: 8082/Tcp@all"],
      ["17 address 172.28.0.10 of container db: only its machine reaches the network back", UNNAMED(1, "db")],
    ],
    [
      "variables",
      ["box [192.168.1.40]: db:  · mail: 8025/Tcp@all · wiki: 8300/Tcp@all 8443/Tcp@192.168.1.40"],
      [
        `8 port \${DB_PORT}:3306 of container db: the file does not say the value of DB_PORT; ${CONFIG}`,
        `8 variable PREFIX: the file does not say its value; ${CONFIG}`,
        `8 variable DB_PORT: the file does not say its value; ${CONFIG}`,
        `15 variable MAIL_TAG: the file does not say its value; ${CONFIG}`,
        UNNAMED(2, "db"),
      ],
    ],
    [
      "ranges",
      [
        "box [192.168.1.40, 2001:db8:1::40]: ftp: 21/Tcp@192.168.1.40 21000/Tcp@192.168.1.40 21001/Tcp@192.168.1.40 21002/Tcp@192.168.1.40 · registry: 5443/Tcp@2001:db8:1::40 · sip: 10000/Udp@all 10001/Udp@all 10002/Udp@all 10003/Udp@all 10004/Udp@all 5060/Udp@all · workers: ",
      ],
      [
        "2 port 5061:5061/sctp of container sip: only TCP and UDP ports are supported",
        "13 port 8100-8101:80 of container workers: it is published on one of the ports 8100-8101; `docker inspect` says on which",
        "19 port 5000 of container registry: its machine chooses where to publish it; `docker inspect` says where",
        "19 port 127.0.0.1::5001 of container registry: its machine chooses where to publish it; `docker inspect` says where",
        "19 port 70000:80 of container registry: it is not a port from 1 to 65535",
        "19 port http:80 of container registry: it is not a port from 1 to 65535",
        UNNAMED(1, "workers"),
      ],
    ],
    [
      "extends",
      ["box []: admin: 9000/Tcp@all · api: 8000/Tcp@all 8001/Tcp@all"],
      [
        `1 include: what other files say is not part of this one; ${CONFIG}`,
        "5 service base: no container of it is to run",
        `21 service admin: it extends a service of another file; ${CONFIG}`,
        "29 service debugger: it runs only with the profile debug; import the output of `docker compose --profile debug config`",
        "1 service job: it is no mapping",
      ],
    ],
    ["several", ["box []: notes-app-1: 3001/Tcp@all · notes-db-1:  · proxy: 443/Tcp@all 443/Udp@all 80/Tcp@all"], []],
  ])(
    "become services of their machine, and what is left out has its place and a reason: %s",
    (name, hosts, skipped) => {
      const file = corpusFile("compose", name);
      expect(importedFrom([[file, "box"]])).toEqual(hosts);
      expect(skippedIn(compose, file)).toEqual(skipped);
    },
  );

  it("say by their images what containers are, and by whom they are run", () => {
    const network = createMemoryNetwork();
    for (const name of ["media", "variables", "resolved"])
      network.importFile(corpusFile("compose", name), false, { hostname: "box" });
    const [host] = network.hosts.values();
    const services = host?.services.map(({ entity }) => entity) ?? [];
    expect(services.map(({ name, service_definition: kind }) => `${name}: ${kind}`).sort()).toEqual([
      "db: MariaDB",
      "gluetun: gluetun",
      "homeassistant: Home Assistant",
      "jellyfin: Jellyfin",
      "mail: mailpit",
      "qbittorrent: qBittorrent",
      "shop-cache-1: Redis",
      "shop-debug-1: adminer",
      "shop-web-1: Traefik",
      "shop-worker-1: shop worker",
      "sonarr: Sonarr",
      "wiki: wiki",
    ]);
    const details = { host_id: host?.host.entity.id, container: "shop-worker-1", image: "shop-worker", replicas: 3 };
    expect(services.find(({ name }) => name === "shop-worker-1")?.virtualization).toEqual({ type: "Docker", details });
    expect(services.find(({ name }) => name === "wiki")?.observed).toMatchObject({
      version: { value: "2.5" },
      confidence: { value: "reported" },
    });
  });

  it("make hosts of containers in the network of their machine, which run on it", () => {
    const network = createMemoryNetwork();
    network.importFile(corpusFile("compose", "macvlan"), false, { hostname: "box" });
    const hosts = Array.from(network.hosts.values(), ({ host }) => host.entity);
    const [box, pihole] = hosts;
    expect([pihole?.hostname, pihole?.virtualization]).toEqual([
      "pihole.home.example",
      { type: "Docker", details: { host_id: box?.id, container: "pihole", image: "pihole/pihole:2025.11.0" } },
    ]);
  });

  it("are the containers that `docker inspect` shows, if they have the same names", () => {
    const network = createMemoryNetwork();
    network.importFile(corpusFile("compose", "resolved"), false, { hostname: "box" });
    const inspected = ["shop-cache-1", "shop-web-1"].map((name) => ({
      Name: `/${name}`,
      State: { Running: true },
      Config: { Image: name === "shop-web-1" ? "traefik:v3.3" : "redis:7-alpine" },
      NetworkSettings: { Ports: name === "shop-web-1" ? { "80/tcp": [{ HostIp: "0.0.0.0", HostPort: "80" }] } : {} },
    }));
    const [plan] = network.importFile(JSON.stringify(inspected), true, { hostname: "box" });
    expect(plan?.services.map(({ action, entity }) => [action, entity.name])).toEqual([
      ["unchanged", "shop-web-1"],
      ["unchanged", "shop-cache-1"],
    ]);
  });

  it("observe nothing", () => {
    expect(read(compose, corpusFile("compose", "shop")).coverage).toBeNull();
  });

  it("are accepted with mappings that merge or extend each other without end", () => {
    const levels = Array.from({ length: 30 }, (_, n) => `x${n + 1}: &x${n + 1} {<<: [${`*x${n},`.repeat(9)}]}`);
    const services = `  a: {<<: *x30}\n  b: {extends: c}\n  c: {extends: {service: b}, ports: ["80:80"]}\n`;
    const file = `x0: &x0 {image: nginx}\n${levels.join("\n")}\nservices:\n${services}`;
    expect(importedFrom([[file, "box"]])).toEqual(["box []: a:  · b: 80/Tcp@all"]);
  });

  it.each([
    ["services: [1]\n", "line 1, column 1: must have `services`, as a Compose file does"],
    [
      "services:\n  web:\n    image: a: b\n",
      "line 3, column 12: is not valid YAML: Nested mappings are not allowed in compact mappings",
    ],
    ["# nothing\n", "line 1, column 1: must be a Compose file, with `services`"],
    ['{"services": {"web": {"image": 1', "line 1, column 33: is not valid JSON"],
  ])("are refused with the place: %#", (file, refusal) => {
    expect(refusalOf(compose, file)?.slice(0, refusal.length)).toBe(refusal);
  });
});

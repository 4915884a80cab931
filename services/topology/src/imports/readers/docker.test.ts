import { describe, expect, it } from "@jest/globals";
import { guessOf } from "../guess.rules.js";
import { corpusFile, corpusOf } from "../testing/corpus.js";
import { createMemoryNetwork } from "../testing/network.js";
import { importedFrom, NOW_MS, read, refusalOf, skippedIn } from "../testing/reading.js";
import { docker } from "./docker.js";

describe("Docker containers", () => {
  it.each([
    [
      "dns",
      [
        "box [192.168.1.40]: adguard: 3000/Tcp@all 53/Tcp@192.168.1.40 53/Udp@192.168.1.40 · app: 32771/Tcp@all · vault: 8222/Tcp@all",
      ],
      ["3 port 9000/sctp of container app: only TCP and UDP ports are supported"],
    ],
    ["host-network", ["box []: homeassistant:  · mosquitto: 1883/Tcp@all"], []],
    ["macvlan", ["box []: pihole: "], []],
    ["media", ["box []: jellyfin: 8096/Tcp@all · radarr: 7878/Tcp@all · sonarr: 8989/Tcp@all"], []],
    ["podman", ["box []: gitea: 2222/Tcp@all 3000/Tcp@all"], []],
    ["stopped", ["box [192.168.1.40]: cache: 6379/Tcp@192.168.1.40"], ["1 container old: it is not running"]],
    ["two-databases", ["box []: crm-db: 5433/Tcp@all · shop-db: 5432/Tcp@all"], []],
    [
      "web",
      ["box []: blog:  · db:  · proxy: 443/Tcp@all 80/Tcp@all"],
      ["2 port 80/tcp of container blog: it is published on the loopback address only"],
    ],
  ])(
    "become services where they are published, and what is left out has its place and a reason: %s",
    (name, hosts, skipped) => {
      const file = corpusFile("docker", name);
      expect(importedFrom([[file, "box"]])).toEqual(hosts);
      expect(skippedIn(docker, file)).toEqual(skipped);
    },
  );

  it("are accepted with any image name, also one that equals a member of every object", () => {
    const file = (image: string): string =>
      JSON.stringify([
        {
          Name: "/odd",
          State: { Running: true },
          Config: { Image: image },
          NetworkSettings: { Ports: { "80/tcp": [{ HostIp: "", HostPort: "8080" }] } },
        },
      ]);
    for (const image of ["constructor", "toString", "__proto__"])
      expect(read(docker, file(image)).hosts[0]?.ports[0]?.service?.kind).toBe(image);
  });
});

describe("Docker containers: what they are and run on", () => {
  const entry = (name: string, image: string, more: object = {}): object => ({
    Name: `/${name}`,
    State: { Running: true },
    Config: { Image: image },
    NetworkSettings: { Ports: { "8090/tcp": [{ HostIp: "", HostPort: "8090" }] } },
    ...more,
  });
  const known = (...entries: object[]) => {
    const network = createMemoryNetwork();
    network.importFile(JSON.stringify(entries), false, { hostname: "box", format: "docker" });
    const [host] = network.hosts.values();
    return { id: host?.host.entity.id, services: host?.services.map(({ entity }) => entity) ?? [] };
  };

  it.each([
    ["confluence", "example/door-control:1", "door control"],
    ["redis", "oliver006/redis_exporter", "redis_exporter"],
    ["db", "rediscommander/redis-commander", "redis commander"],
    ["postgres", `sha256:${"a1".repeat(32)}`, "Container"],
    ["x", "nginxinc/nginx-unprivileged:1.27", "nginx"],
    ["y", "postgres:16-alpine", "PostgreSQL"],
    ["z", "redis/redis-stack-server", "Redis"],
    ["renderer", "grafana/grafana-image-renderer:3.11.6", "grafana image renderer"],
    ["exporter", "quay.io/prometheus/node-exporter:v1.8.2", "Prometheus Node Exporter"],
    ["npm", "jc21/nginx-proxy-manager:2.12", "Nginx Proxy Manager"],
    ["traefik", "rancher/mirrored-library-traefik:2.11.10", "Traefik"],
  ])("are what their images say, not their names or ports: %s of %s", (name, image, definition) => {
    expect(known(entry(name, image)).services.map((one) => [one.name, one.service_definition])).toEqual([
      [name, definition],
    ]);
  });

  it("run on their machine, also without a port", () => {
    const { id, services } = known(
      entry("web", "nginx:1.27"),
      entry("db", "postgres:16", { NetworkSettings: { Ports: {} }, OCIRuntime: "crun" }),
    );
    expect(services.map(({ name, virtualization, bindings }) => [name, virtualization, bindings.length])).toEqual([
      ["web", { type: "Docker", details: { host_id: id, container: "web", image: "nginx:1.27" } }, 1],
      ["db", { type: "Podman", details: { host_id: id, container: "db", image: "postgres:16" } }, 0],
    ]);
  });

  it("on the network of their machine are the service that its sockets show", () => {
    const network = createMemoryNetwork();
    const socket = 'tcp LISTEN 0 5 0.0.0.0:8123 0.0.0.0:* users:(("hass",pid=1,fd=3))\n';
    network.importFile(socket, false, { hostname: "box", format: "ss" });
    const container = entry("ha", "homeassistant/home-assistant:2026.1", { HostConfig: { NetworkMode: "host" } });
    const file = JSON.stringify([container]);
    network.importFile(file, false, { hostname: "box", format: "docker" });
    const services = [...network.hosts.values()].flatMap((host) => host.services.map(({ entity }) => entity));
    expect(services.map(({ name, virtualization }) => [name, virtualization?.type])).toEqual([
      ["Home Assistant", "Docker"],
    ]);
    const [again] = network.importFile(file, true, { hostname: "box", format: "docker" });
    expect(again?.action).toBe("unchanged");
  });
});

describe("Docker containers: names and rejected files", () => {
  it("give services their names, and are recognized by their images", () => {
    const ports = corpusOf("docker").flatMap(({ bytes }) => read(docker, bytes).hosts[0]?.ports ?? []);
    const guesses = ports.map((port) => guessOf(port, port.service));
    const kinds = guesses.map((guess) => `${guess?.name ?? ""}: ${guess?.definition ?? ""}`);
    expect([...new Set(kinds)].sort()).toEqual([
      "adguard: AdGuard Home",
      "app: door control",
      "cache: Redis",
      "crm-db: PostgreSQL",
      "gitea: Gitea",
      "jellyfin: Jellyfin",
      "mosquitto: Eclipse Mosquitto",
      "proxy: nginx",
      "radarr: Radarr",
      "shop-db: PostgreSQL",
      "sonarr: Sonarr",
      "vault: Vaultwarden",
    ]);
  });

  it("are rejected with the path when the file is something else", () => {
    expect(refusalOf(docker, "{}")).toBe("$: must be a list");
    expect(refusalOf(docker, `[{"NetworkSettings":{}},{"Name":"lan","Driver":"bridge"}]`)).toBe(
      "$[1].NetworkSettings: must be an object, as `docker inspect` writes it of a container",
    );
  });

  it("are accepted up to the limits of an import", () => {
    const places = Array.from({ length: 1_200 }, (_, n) => ({ HostIp: `10.0.${n >> 8}.${n & 255}`, HostPort: "80" }));
    const entry = (from: number): object => ({
      Name: `/c${from}`,
      State: { Running: true },
      NetworkSettings: { Ports: { "80/tcp": places.slice(from, from + 100) } },
    });
    const file = JSON.stringify(Array.from({ length: 12 }, (_, n) => entry(100 * n)));
    expect(read(docker, file).hosts[0]?.addresses.length).toBe(1_000);
  });
});

describe("Docker containers that are gone", () => {
  const entry = (name: string, isRunning: boolean, port?: string): object => ({
    Name: `/${name}`,
    State: { Running: isRunning },
    Config: { Image: `vendor/${name}:1` },
    NetworkSettings: { Ports: port === undefined ? {} : { "80/tcp": [{ HostIp: "", HostPort: port }] } },
  });
  const command = "# docker inspect $(docker ps -aq)\n";
  /** The names of the services that are missed by a file after another one. */
  const missedBy = (file: string): string[] => {
    const network = createMemoryNetwork();
    const before = [entry("web", true, "8080"), entry("cache", true), entry("job", true), entry("other", true)];
    network.importFile(JSON.stringify(before), false, { hostname: "box" });
    const plans = network.importFile(file, true, { hostname: "box", nowMs: NOW_MS + 60_000 });
    return plans.flatMap(({ sighting }) => sighting?.missed.map(({ name }) => name) ?? []).sort();
  };
  const now = [entry("web", true, "8080"), entry("cache", false)];

  it("are missed if the file says that they do not run, or that it has all that run", () => {
    expect(missedBy(JSON.stringify(now))).toEqual(["cache"]);
    expect(missedBy(`${command}${JSON.stringify(now)}`)).toEqual(["cache", "job", "other"]);
    expect(missedBy(`${command}[]`)).toEqual(["cache", "job", "other", "web"]);
  });

  it("are not missed by a list of some, or of containers of another kind", () => {
    for (const filtered of [
      "# docker inspect web",
      "# docker inspect $(docker ps -q -f name=web)",
      "# podman inspect $(podman ps -q)",
    ])
      expect(missedBy(`${filtered}\n${JSON.stringify([entry("web", true, "8080")])}`)).toEqual([]);
  });
});

describe("texts of containers that are too long", () => {
  it("are cut, and listed", () => {
    const name = "n".repeat(101);
    const image = `${"i".repeat(200)}:1`;
    const file = [{ Name: `/${name}`, State: { Running: true }, Config: { Image: image }, NetworkSettings: {} }];
    expect(skippedIn(docker, JSON.stringify(file))).toEqual([
      `1 name of container ${name.slice(0, 100)}: only its first 100 characters are kept`,
      `1 image of container ${name.slice(0, 100)}: only its first 200 characters are kept`,
    ]);
  });
});

describe("the containers of two machines in one file", () => {
  const container = (id: string, name: string, port: string): string =>
    JSON.stringify([
      {
        Id: id,
        Name: `/${name}`,
        State: { Running: true },
        Config: { Image: "nginx" },
        NetworkSettings: { Ports: { "80/tcp": [{ HostIp: "0.0.0.0", HostPort: port }] } },
      },
    ]);

  it.each([
    ["with the same name", container("a", "web", "80"), container("b", "web", "81"), /its name Docker web/],
    ["with the same port", container("a", "web", "80"), container("b", "shop", "80"), /its port 0\.0\.0\.0:80\/tcp/],
  ])("are refused: %s", (_how, one, other, reason) => {
    expect(refusalOf(docker, `${one}\n${other}`)).toMatch(reason);
  });

  it("are those of one machine if the same container is listed twice", () => {
    expect(refusalOf(docker, `${container("a", "web", "80")}\n${container("a", "web", "80")}`)).toBeNull();
  });
});

import { describe, expect, it } from "@jest/globals";
import { guessOf } from "../guess.rules.js";
import { corpusFile, corpusOf } from "../testing/corpus.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
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
    [
      "host-network",
      ["box []: mosquitto: 1883/Tcp@all"],
      ["1 container homeassistant: it shares the network of its machine, whose sockets `ss` tells"],
    ],
    ["macvlan", ["box []: "], ["1 container pihole: it publishes no port"]],
    ["media", ["box []: jellyfin: 8096/Tcp@all · radarr: 7878/Tcp@all · sonarr: 8989/Tcp@all"], []],
    ["podman", ["box []: gitea: 2222/Tcp@all 3000/Tcp@all"], []],
    ["stopped", ["box [192.168.1.40]: cache: 6379/Tcp@192.168.1.40"], ["1 container old: it is not running"]],
    ["two-databases", ["box []: crm-db: 5433/Tcp@all · shop-db: 5432/Tcp@all"], []],
    [
      "web",
      ["box []: proxy: 443/Tcp@all 80/Tcp@all"],
      [
        "2 port 80/tcp of container blog: it is published on the loopback address only",
        "3 container db: it publishes no port",
      ],
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

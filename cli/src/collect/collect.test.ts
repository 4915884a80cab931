import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { inspectContainers } from "../machine/containers.js";
import { readLeases } from "../machine/leases.js";
import { SOURCES } from "./sources.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "collect-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const asked = { scan: [], leases: [], only: [], hostname: "nas", discover: null };

describe("nts collect: leases", () => {
  it("are read from every file that is there, and what cannot be read has a reason", async () => {
    writeFileSync(join(folder, "dnsmasq-eth0.leases"), "one\n");
    writeFileSync(join(folder, "dnsmasq-eth1.leases"), "two\n");
    writeFileSync(join(folder, "dnsmasq-eth2.leases"), "\n");
    writeFileSync(join(folder, "export.rsc"), "three\n");
    mkdirSync(join(folder, "kea-leases4.csv"));
    const usual = ["dnsmasq-*.leases", "kea-leases4.csv", "dnsmasq-eth0.leases", "none/dhcpd.leases", "none/*.leases"];
    const { files, unread } = await readLeases(
      [join(folder, "export.rsc"), join(folder, "none")],
      usual.map((name) => join(folder, name)),
    );
    expect(files.map(({ text, format }) => [text, format])).toEqual([
      ["one\n", "dhcp-leases"],
      ["two\n", "dhcp-leases"],
      ["three\n", "dhcp-leases"],
    ]);
    expect(unread).toEqual([
      `leases: ${join(folder, "kea-leases4.csv")} cannot be read (EISDIR).`,
      `leases: ${join(folder, "none")} cannot be read (ENOENT).`,
    ]);
  });
});

const NO_SOCKETS = { docker: ["/none/docker.sock"], podman: [] };

describe("nts collect: containers", () => {
  it("say that they are all that run, also if none does", async () => {
    const inspected = (ids: readonly string[]) =>
      JSON.stringify(ids.map((Id) => ({ Id, Config: { Env: ["PASSWORD=x"] } })));
    const run = (program: string, [command, ...ids]: readonly string[]) =>
      Promise.resolve(program !== "docker" ? null : command === "ps" ? "a\nb\n" : inspected(ids));
    const none = (program: string) => Promise.resolve(program === "docker" ? "" : null);
    const texts = await Promise.all([run, none].map((program) => inspectContainers({ run: program }, NO_SOCKETS)));
    expect(texts.map(({ files }) => files[0]?.text)).toEqual([
      expect.stringContaining('# docker inspect $(docker ps -q)\n[{"Id":"a"'),
      "# docker inspect $(docker ps -q)\n[]",
    ]);
    expect(JSON.stringify(texts)).not.toContain("PASSWORD");
  });

  it("are left out without Docker, and with a reason if it does not let itself be asked", async () => {
    const run = () => Promise.resolve(null);
    expect(await inspectContainers({ run }, NO_SOCKETS)).toEqual({ files: [], unread: [] });
    const socket = join(folder, "old.sock");
    writeFileSync(socket, "");
    expect(await inspectContainers({ run }, { docker: [socket], podman: [] })).toEqual({
      files: [],
      unread: [`docker: ${socket} cannot be read (ECONNREFUSED).`],
    });
  });
});

describe("nts collect: a cluster", () => {
  const found = async (answers: Readonly<Record<string, string>>) => {
    const run = (_program: string, [command = ""]: readonly string[]) => Promise.resolve(answers[command] ?? null);
    return SOURCES["kubernetes"]?.({ run, terminal: undefined as never }, asked, () => undefined);
  };

  it("is read with kubectl if it is set up, and has a reason if it is not reachable", async () => {
    expect(await found({})).toEqual({ files: [], unread: [] });
    expect(await found({ config: "home" })).toMatchObject({ files: [], unread: [expect.stringContaining("kubectl")] });
    expect(await found({ config: "home", get: '{"items":[]}' })).toMatchObject({
      files: [{ format: "kubernetes", text: '{"items":[]}' }],
    });
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { inspectContainers } from "./containers.js";
import { readLeases } from "./leases.js";
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

describe("nts collect: containers", () => {
  it("say that they are all that run, also if none does", async () => {
    const run = (_program: string, [command, ...ids]: readonly string[]) =>
      Promise.resolve(command === "ps" ? "a\nb\n" : `[${ids.join()}]\n`);
    const none = () => Promise.resolve("");
    const texts = await Promise.all([run, none].map((program) => inspectContainers({ run: program })));
    expect(texts.map(({ files }) => files[0]?.text)).toEqual([
      "# docker inspect $(docker ps -q)\n[a,b]",
      "# docker inspect $(docker ps -q)\n[]",
    ]);
  });

  it("are left out without Docker, and with a reason if it does not let itself be asked", async () => {
    const run = () => Promise.resolve(null);
    expect(await inspectContainers({ run }, join(folder, "no.sock"))).toEqual({ files: [], unread: [] });
    const socket = join(folder, "old.sock");
    writeFileSync(socket, "");
    expect(await inspectContainers({ run }, socket)).toEqual({
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

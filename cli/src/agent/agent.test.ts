import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { linesOfFile } from "../discover/files.rules.js";
import { NO_SETTINGS } from "../discover/settings.js";
import { initialSenses } from "./agent.js";
import { partsOf } from "./parts.js";
import { openSpool } from "./spool.js";
import { lockFolder, openFolder, readExpected, readIdentity, writeExpected, writeIdentity } from "./state.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agent-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("reports in parts", () => {
  const linesIn = (body: Uint8Array) =>
    gunzipSync(body)
      .toString()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
  const begin = { report: 1, program: "nts" };
  const end = { end: { covered: ["10.0.0.0/24"], excluded: [] } };
  const file = (name: string, megabytes: number) =>
    linesOfFile({ format: "ss", name, text: "x".repeat(megabytes * 1_000_000) });

  it("are one if they are small, also with what is not ASCII", () => {
    const lines = [begin, { host: { name: "Küche 🍲" } }, end];
    const { bodies, leftOut } = partsOf(lines);
    expect([bodies.map(linesIn), leftOut]).toEqual([[lines], null]);
  });

  it("are several of at most some megabytes, each readable by itself, of which the last one says what was covered", () => {
    const hosts = Array.from({ length: 3 }, (_, n) => ({ host: { addresses: [{ ip: `10.0.0.${n + 1}` }] } }));
    const lines = [begin, ...hosts, ...file("one", 5), ...file("two", 5), ...file("three", 2), end];
    const parts = partsOf(lines).bodies.map(linesIn);
    expect(parts.map(([first]) => first)).toEqual([begin, begin]);
    expect(parts.map((part) => part.at(-1))).toEqual([{ end: { covered: [], excluded: [] } }, end]);
    // No file is divided.
    const namesOf = (part: object[]) =>
      new Set(part.flatMap((line) => ("file" in line ? [(line.file as { name: string }).name] : [])));
    expect(parts.map((part) => [...namesOf(part)])).toEqual([["one"], ["two", "three"]]);
    expect(parts.flatMap((part) => part.slice(1, -1))).toEqual(lines.slice(1, -1));
  });

  it("that are larger than the server takes cover nothing, because what is left out was there", () => {
    const files = [...file("one", 18), ...file("two", 15), ...file("huge", 20), ...file("three", 9)];
    const lines = [begin, ...files, { host: {} }, end];
    const { bodies, leftOut } = partsOf(lines);
    expect(leftOut).toContain("2 of its entries are left out");
    expect(linesIn(bodies.at(-1) ?? new Uint8Array()).slice(-2)).toEqual([
      { host: {} },
      { end: { covered: [], excluded: [] } },
    ]);
  });
});

describe("what waits for the server", () => {
  const bodies = (...texts: string[]) => texts.map((text) => Buffer.from(text));
  const textOf = async (waiting: { body(part: number): Promise<Uint8Array> } | null, part: number) =>
    Buffer.from((await waiting?.body(part)) ?? []).toString();

  it("is sent in order, and goes on after the program was killed in between", async () => {
    const spool = await openSpool(join(folder, "spool"), 1_000);
    expect([await spool.keep("a", bodies("one", "two", "three")), await spool.keep("b", bodies("four"))]).toEqual([
      [],
      [],
    ]);
    await (await spool.oldest())?.sent(1);
    const next = await openSpool(join(folder, "spool"), 1_000);
    const rest = await next.oldest();
    expect([rest?.jobId, rest?.parts, rest?.count, await textOf(rest, 2)]).toEqual(["a", [2, 3], 3, "two"]);
    expect(rest?.ageSeconds()).toBeLessThan(5);
    for (const part of [2, 3]) await rest?.sent(part);
    const last = await next.oldest();
    expect([last?.jobId, await textOf(last, 1)]).toEqual(["b", "four"]);
    await last?.drop();
    expect([await next.oldest(), readdirSync(join(folder, "spool"))]).toEqual([null, []]);
  });

  it("is not sent if it was not whole when the program was killed", async () => {
    mkdirSync(join(folder, "spool", "new"), { recursive: true });
    writeFileSync(join(folder, "spool", "new", "0001.ndjson.gz"), "half");
    expect(await (await openSpool(join(folder, "spool"), 1_000)).oldest()).toBeNull();
  });

  it("is bounded: the oldest look makes room, which is said", async () => {
    const spool = await openSpool(join(folder, "spool"), 600);
    await spool.keep("a", bodies("x".repeat(100)));
    await spool.keep("b", bodies("x".repeat(100)));
    const dropped = await spool.keep("c", bodies("x".repeat(300)));
    expect(dropped).toEqual([
      expect.stringMatching(/^There is no room .* the oldest look, of \d+ bytes, was dropped\.$/),
    ]);
    expect((await spool.oldest())?.jobId).toBe("b");
    expect(await spool.keep("d", bodies("x".repeat(700)))).toEqual([
      expect.stringContaining("700 bytes, more than 600"),
    ]);
  });

  it("counts as old as the job if the machine was started since", async () => {
    const spool = await openSpool(join(folder, "spool"), 1_000);
    await spool.keep("a", bodies("one"));
    const about = { job_id: "a", count: 1, boot: "another", ended_at_uptime: 5 };
    writeFileSync(join(folder, "spool", "000000000001", "look.json"), JSON.stringify(about));
    expect((await spool.oldest())?.ageSeconds()).toBe(86_400);
  });
});

describe("the folder of an agent", () => {
  const identity = { server: "https://topology.example.com", collector_id: "c", key: "secret", token_sha256: "" };

  it("keeps the key for its owner alone", async () => {
    await openFolder(join(folder, "state"));
    await writeIdentity(join(folder, "state"), identity);
    const path = join(folder, "state", "key.json");
    expect([statSync(path).mode & 0o777, statSync(join(folder, "state")).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(await readIdentity(join(folder, "state"))).toEqual(identity);
    chmodSync(path, 0o644);
    await expect(readIdentity(join(folder, "state"))).rejects.toThrow("chmod 600");
    chmodSync(path, 0o600);
    writeFileSync(path, "{");
    await expect(readIdentity(join(folder, "state"))).rejects.toThrow("is damaged");
  });

  it("remembers who answered the last time, and does without if that is damaged", async () => {
    expect(await readExpected(folder)).toBeUndefined();
    await writeExpected(folder, new Set(["10.0.0.5"]));
    expect(await readExpected(folder)).toEqual(new Set(["10.0.0.5"]));
    writeFileSync(join(folder, "expected.json"), "[5");
    expect(await readExpected(folder)).toBeUndefined();
  });

  it("belongs to one agent at a time, until that has ended", () => {
    const unlock = lockFolder(folder);
    unlock();
    lockFolder(folder)();
    // Of a process that was killed; its number may be that of another program by now.
    for (const pid of ["4194303", "1", "not a number"]) {
      writeFileSync(join(folder, "lock"), pid);
      lockFolder(folder)();
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("senses before the first look", () => {
  it("are hoped to work, except those that are switched off or lack settings", () => {
    const states = initialSenses({ ...NO_SETTINGS, off: ["ssdp"], nmap: { profile: "services" } });
    const off = states.filter(({ state }) => state === "off").map(({ name }) => name);
    expect(off).toEqual(["ssdp", "snmp", "proxmox", "unifi"]);
  });
});

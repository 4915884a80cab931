import { afterEach, describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { promisify } from "node:util";
import { AppError } from "@nts/shared/errors";
import { RUNNER_LIMITS } from "./runner.js";
import { JOB_LIMITS } from "./scan.rules.js";
import type { FileGiven, ReadFile } from "./session.js";
import { type ImportThread, type Remote, startImportThread } from "./thread.js";

/** The long tier reads all of them, and plans a large file. */
const EXPENSIVE_FILES = Number(process.env["EXPENSIVE_FILES"] ?? 2);
const PLANNED_HOSTS = EXPENSIVE_FILES > 2 ? 10_000 : 1_000;
const LIMITS = { seconds: 10, memoryMb: 128 };
const GIVEN: FileGiven = { networkId: "network", hints: [], format: "nmap", named: null, nowMs: 0 };

let thread: ImportThread | null = null;
afterEach(() => thread?.end());

async function readIn(session: Remote, text: string, given: Partial<FileGiven> = {}): Promise<ReadFile> {
  await session.receive(new TextEncoder().encode(text));
  return session.read({ ...GIVEN, ...given, isPacked: false });
}
const scanOf = (inside: string): string => `<nmaprun scanner="nmap">\n${inside}\n</nmaprun>`;
const host = (inside: string): string => `<host><status state="up"/>${inside}</host>\n`;
const address = (ip: string): string => `<address addr="${ip}" addrtype="ipv4"/>`;
const port = (number: number): string =>
  `<port protocol="tcp" portid="${number}"><state state="open"/><service name="http" product="p${number % 7}"/></port>`;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const ip = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;

/** Of all threads of this process. */
const priorities = (): number[] => readdirSync("/proc/self/task").map((id) => getPriority(Number(id)));

/** Reads a file and plans all of it, without known hosts. @returns the number of hosts, or the code of the rejection */
async function planned(file: string, limits = LIMITS, given: Partial<FileGiven> = {}): Promise<number | string> {
  thread = startImportThread(limits.memoryMb);
  const session = thread.begin(limits.seconds);
  try {
    const { batches } = await readIn(session, file, given);
    for (let batch = 0; batch < batches; batch++) await session.identities(batch);
    const { jobs } = await session.settle([]);
    for (let from = 0; from < jobs;) {
      const part = await session.jobs(from);
      await session.planAll(
        part.map(({ index }) => ({ index, known: null })),
        { now: "2026-02-16T09:30:00.000Z", isDry: true, names: new Map() },
      );
      from += part.length;
    }
    return jobs;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  } finally {
    await thread.end();
  }
}

describe("a file designed to be expensive", () => {
  const mac = '<address addr="02:00:00:00:00:0A" addrtype="mac"/>';
  const ports = (count: number): string =>
    `<ports>${numbers(count)
      .map((n) => port(n + 1))
      .join("")}</ports>`;
  const expensive = [
    [
      "an address of many percent signs",
      () => scanOf(host(`<address addr="${"%".repeat(1_000_000)}\n" addrtype="ipv4"/>`)),
      0,
    ],
    [
      "a name of 800 kB with thousands of children",
      () => scanOf(`<${"a".repeat(800_000)}>${"<b/>".repeat(5_000)}`),
      "validation_failed",
    ],
    ["an attribute with a name of 800 kB", () => scanOf(`<host ${"a".repeat(800_000)}="1"/>`), "validation_failed"],
    [
      "300,000 attributes of an element",
      () =>
        scanOf(
          `<host ${numbers(300_000)
            .map((n) => `a${n}=""`)
            .join(" ")}/>`,
        ),
      "validation_failed",
    ],
    [
      "40,000 addresses of one host",
      () =>
        scanOf(
          host(
            numbers(40_000)
              .map((n) => address(ip(n)))
              .join(""),
          ),
        ),
      1,
    ],
    [
      "40,000 addresses of one machine, in elements of their own",
      () =>
        scanOf(
          numbers(40_000)
            .map((n) => host(address(ip(n)) + mac))
            .join(""),
        ),
      1,
    ],
    [
      "1,000 ports at each of 40 addresses of one machine",
      () =>
        scanOf(
          numbers(40)
            .map((n) => host(address(ip(n)) + mac + ports(1_000)))
            .join(""),
        ),
      1,
    ],
    [
      "100,000 sightings of one address that moves between machines",
      () =>
        scanOf(
          numbers(100_000)
            .map(
              (n) =>
                `<host>${address("10.0.0.1")}<address addr="${n % 2 === 0 ? "02:00:00:00:00:0A" : "02:00:00:00:00:0B"}" addrtype="mac"/></host>`,
            )
            .join(""),
        ),
      1,
    ],
    [
      "20,000 nested elements within the maximum depth",
      () => scanOf(`${"<a>".repeat(30)}${"<b></b>".repeat(20_000)}${"</a>".repeat(30)}`),
      0,
    ],
    [
      "host names of a megabyte",
      () =>
        scanOf(
          numbers(10)
            .map((n) => host(`${address(ip(n))}<hostnames><hostname name="${"x".repeat(1_000_000)}"/></hostnames>`))
            .join(""),
        ),
      10,
    ],
    [
      "products of a megabyte",
      () =>
        scanOf(
          numbers(10)
            .map((n) =>
              host(
                `${address(ip(n))}<ports><port protocol="tcp" portid="80"><state state="open"/><service name="http" product="${" /".repeat(500_000)}"/></port></ports>`,
              ),
            )
            .join(""),
        ),
      10,
    ],
    [
      "30,000 sightings of 3,000 hosts, each of a port, in no order",
      () =>
        scanOf(
          numbers(30_000)
            .map((n) => (n * 7_919) % 30_000)
            .map((n) => host(address(ip(n % 3_000)) + `<ports>${port(1 + Math.floor(n / 3_000))}</ports>`))
            .join(""),
        ),
      3_000,
    ],
    [
      "3,000 subnets",
      () =>
        scanOf(
          numbers(3_000)
            .map((n) => host(address(ip(n * 256))))
            .join(""),
        ),
      "too_many_subnets",
    ],
  ] as const;
  it.each(expensive.slice(0, EXPENSIVE_FILES))(
    "is read with few resources, or rejected: %s",
    async (_what, file, outcome) => {
      // Three seconds of processor time are far more than any of them takes, and far less than before they were limited.
      expect(await planned(file(), { ...LIMITS, seconds: 3 })).toBe(outcome);
    },
  );
});

describe("a job with a file of more hosts than it imports", () => {
  const hosts = EXPENSIVE_FILES > 2 ? 40_000 : 400;
  const limits = { ...JOB_LIMITS, hosts: (hosts * 3) / 4 };
  const rows = (): object[] =>
    numbers(hosts).map((n) => ({
      ...{ ip_address: `10.100.${(n >> 8) & 255}.${n & 255}`, hostname: `machine-${n}.example.net` },
      ...{
        network: n % 2 === 0 ? "Main office" : "Home",
        switch: `core-switch-${n % 40}`,
        description: "x".repeat(40),
      },
    }));
  const table = (all: readonly object[]): string =>
    [Object.keys(all[0] ?? {}), ...all.map((row) => Object.values(row) as string[])]
      .map((row) => row.join(","))
      .join("\n");
  const files = [
    ["CSV, of another network and with switches", "csv", () => table(rows())],
    ["JSON", "csv", () => JSON.stringify(rows())],
    [
      "nmap",
      "nmap",
      () =>
        scanOf(
          numbers(hosts)
            .map((n) => host(address(ip(n))))
            .join(""),
        ),
    ],
  ] as const;
  it.each(files)("takes as many as fit, in %s", async (_what, format, file) => {
    const given = { format, limits, network: "third" };
    expect(await planned(file(), { seconds: RUNNER_LIMITS.jobSeconds, memoryMb: RUNNER_LIMITS.memoryMb }, given)).toBe(
      limits.hosts,
    );
  });
});

describe("an import in a worker thread", () => {
  it("is planned at its memory limits", async () => {
    const file = scanOf(
      numbers(PLANNED_HOSTS)
        .map((n) =>
          host(
            address(ip(n)) +
              `<ports>${numbers(3)
                .map((k) => port(k + 1))
                .join("")}</ports>`,
          ),
        )
        .join(""),
    );
    expect(await planned(file)).toBe(PLANNED_HOSTS);
  });

  it("is terminated when it exceeds its processor time", async () => {
    const file = scanOf(
      numbers(40_000)
        .map((n) => host(address(ip(n))))
        .join(""),
    );
    expect(await planned(file, { ...LIMITS, seconds: 0.1 })).toBe("import_too_expensive");
  });

  it("is terminated when it exceeds its memory", async () => {
    const file = scanOf(
      numbers(40_000)
        .map((n) => host(address(ip(n))))
        .join(""),
    );
    expect(await planned(file, { ...LIMITS, memoryMb: 8 })).toBe("import_too_expensive");
  });

  it("has a session and a processor time of its own when its thread is used again", async () => {
    thread = startImportThread(LIMITS.memoryMb);
    // All of them take more than that.
    const seconds = 0.75;
    for (let hosts = 6_000; hosts > 5_988; hosts--) {
      const file = scanOf(
        numbers(hosts)
          .map((n) => host(address(ip(n))))
          .join(""),
      );
      const session = thread.begin(seconds);
      await readIn(session, file);
      expect((await session.settle([])).jobs).toBe(hosts);
    }
  });

  it("gives way to requests after a time", async () => {
    thread = startImportThread(LIMITS.memoryMb, 0.01);
    const file = scanOf(
      numbers(20_000)
        .map((n) => host(address(ip(n))))
        .join(""),
    );
    await readIn(thread.begin(LIMITS.seconds), file);
    expect(thread.hasGivenWay()).toBe(true);
    if (process.platform === "linux") expect(priorities().filter((nice) => nice === 10)).toHaveLength(1);
  });

  it("does not keep a process from ending", async () => {
    const module = new URL("thread.js", import.meta.url).href;
    const program = `import { startImportThread } from "${module}"; startImportThread(64).begin(1);`;
    const ended = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
      timeout: 20_000,
    });
    await expect(ended).resolves.toEqual({ stdout: "", stderr: "" });
  });

  it("rejects calls after its end", async () => {
    thread = startImportThread(LIMITS.memoryMb);
    const session = thread.begin(1);
    await thread.end();
    expect(thread.hasEnded()).toBe(true);
    await expect(session.identities(0)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("reports the place of an error in the file", async () => {
    thread = startImportThread(LIMITS.memoryMb);
    await expect(readIn(thread.begin(1), scanOf("<host>"))).rejects.toMatchObject({
      code: "validation_failed",
      params: { errors: [{ path: "line 3, column 11", message: "unexpected close tag" }] },
    });
  });
});

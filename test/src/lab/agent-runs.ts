/** Collectors in a laboratory: `nts agent` as a process, and the way by which it reaches the server, which can be cut. */
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import type { Caller } from "../support/api.js";
import { until } from "../support/until.js";
import type { CollectorPlace, Laboratory } from "./laboratory.js";

const NTS = join(ROOT, "cli/bundle/nts.js");

/** Between looks at whether a job is done: each is work for the server, which many laboratories share. */
const LOOK_EVERY_MS = 500;
/** Until a collector or its job has come so far, also on a busy machine: how soon it should is measured. */
const MOST_MS = 300_000;

/** What becomes of what is sent: it passes, connections are refused, responses are lost, or only the beginning arrives. */
export type Way = "open" | "closed" | "deaf" | "cut";

/** Of what is sent by a way that is cut: the head of a request, and some of its body. */
const CUT_AFTER_BYTES = 1_500;

export interface Uplink {
  readonly url: string;
  set(way: Way): void;
  /** More was sent than passes by a way that is cut. */
  isCutOff(): boolean;
  close(): Promise<void>;
}

/** A server's address inside of a laboratory. */
export async function openUplink(serverUrl: string, address: string): Promise<Uplink> {
  const { port, hostname } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let way: Way = "open";
  let left = 0;
  const server: Server = createServer((socket) => {
    const upstream = connect(Number(port), hostname);
    for (const one of [socket, upstream]) {
      sockets.add(one);
      one
        .on("error", () => undefined)
        .on("close", () => {
          sockets.delete(one);
          socket.destroy();
          upstream.destroy();
        });
    }
    if (way === "closed") socket.destroy();
    socket.on("data", (bytes) => {
      const passing = way === "cut" ? bytes.subarray(0, Math.max(0, left)) : bytes;
      left -= bytes.length;
      if (passing.length > 0) upstream.write(passing);
    });
    upstream.on("data", (bytes) => {
      if (way === "open") socket.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port: own } = server.address() as { port: number };
  return {
    url: `http://${address}:${own}`,
    isCutOff: () => way === "cut" && left < 0,
    set: (next) => {
      way = next;
      left = CUT_AFTER_BYTES;
      if (next === "closed") for (const one of sockets) one.destroy();
    },
    close: async () => {
      for (const one of sockets) one.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export interface RunningAgent {
  /** What it has said. */
  said(): string;
  /** What it has said until now does not count any more. */
  listen(): void;
  /** Waits until it says so. */
  says(text: string): Promise<void>;
  /** @returns the exit code; null if it was killed */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null>;
  ended(): Promise<number | null>;
}

/** Starts a collector. @param words options @param hoursAhead how wrong the clock of its machine is */
export function startAgent(
  laboratory: Pick<Laboratory, "collector">,
  place: CollectorPlace,
  words: readonly string[],
  hoursAhead = 0,
): RunningAgent {
  const node = [process.execPath, ...(hoursAhead === 0 ? [] : [`--import=${wrongClock(hoursAhead)}`])];
  const [program = "", ...args] = [...laboratory.collector(place), ...node, NTS, "agent", ...words];
  const running = execa(program, args, { reject: false, all: true, buffer: false, stdin: "ignore" });
  let said = "";
  let heard = 0;
  running.all.on("data", (bytes: Buffer) => (said += bytes.toString()));
  const ended = async (): Promise<number | null> => (await running).exitCode ?? null;
  return {
    said: () => said,
    listen: () => {
      heard = said.length;
    },
    says: async (text) => {
      await until(() => said.includes(text, heard), 20, MOST_MS).catch((error: unknown) => {
        throw new Error(`the collector did not say "${text}", but: ${said}`, { cause: error });
      });
      heard = said.indexOf(text, heard) + text.length;
    },
    end: (signal) => {
      running.kill(signal);
      return ended();
    },
    ended,
  };
}

/** A module after which dates are wrong. */
function wrongClock(hoursAhead: number): string {
  const text = `const Right = Date;
    const now = () => Right.now() + ${hoursAhead * 3_600_000};
    globalThis.Date = class extends Right {
      constructor(...parts) { super(...(parts.length === 0 ? [now()] : parts)); }
      static now() { return now(); }
    };`;
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

export interface Job {
  readonly id: string;
  readonly state: string;
  readonly reports: number;
  readonly bytes: number;
  readonly covered: readonly string[];
}

/** A collector as the server has it. */
export interface StoredCollector {
  readonly id: string;
  readonly token: string;
  /** A folder for its agent. */
  readonly folder: string;
  /** Lets it look around, and waits until that is done. */
  run(): Promise<Job>;
  /** Asks it to look around. */
  request(): Promise<string>;
  /** Waits until a job is done; the first one by default. */
  done(id?: string): Promise<Job>;
  remove(): Promise<void>;
}

interface CollectorSettings {
  readonly network_id: string;
  readonly name: string;
  readonly targets: { readonly cidrs: readonly string[]; readonly exclude: readonly string[] };
  readonly packets_per_second: number;
}

export async function aCollector(caller: Caller, settings: CollectorSettings): Promise<StoredCollector> {
  const { collector, token } = await caller.data<{ collector: { id: string }; token: string }>(
    "post",
    "/api/v1/collectors",
    settings,
  );
  const { id } = collector;
  const jobs = (): Promise<Job[]> => caller.data("get", `/api/v1/collectors/jobs?collector_id=${id}`);
  const folder = await mkdtemp(join(tmpdir(), "nts-lab-agent-"));
  const request = async (): Promise<string> => (await caller.data<Job>("post", `/api/v1/collectors/${id}/run`, {})).id;
  const done = async (wanted?: string): Promise<Job> => {
    let found: Job | undefined;
    await until(
      async () => {
        found = (await jobs()).find((one) => wanted === undefined || one.id === wanted);
        return found !== undefined && !["queued", "running", "importing"].includes(found.state);
      },
      LOOK_EVERY_MS,
      MOST_MS,
    );
    if (found?.state !== "done") throw new Error(`the job has ended as ${JSON.stringify(found)}`);
    return found;
  };
  return {
    ...{ id, token, folder, request, done },
    run: async () => done(await request()),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** `npm start`: runs the system until stopped, and leaves nothing running. */
import type { Timestamp } from "mongodb";
import { createDemo, type DemoOptions } from "./demo/create.js";
import { type DemoRecord, readDemoRecord, writeDemoRecord } from "./demo/access.js";
import { moveIntoPast, untilJournalPasses } from "./demo/past.js";
import { type Component, runFolderOf } from "./processes/component.js";
import { freePorts, requireFreePort } from "./processes/ports.js";
import { stopLeftovers } from "./processes/run-records.js";
import {
  createProcess,
  type ProcessKind,
  type ProcessPorts,
  requireBuilt,
  type System,
  urlOf,
} from "./processes/system.js";
import { loadSecrets } from "./secrets.js";
import { prepareServers } from "./servers/servers.js";
import { readSettings, type Settings } from "./settings.js";
import { StartProblem } from "./start-problem.js";
import { banner } from "./supervisor/banner.js";
import { takeDataDir } from "./supervisor/instance-lock.js";
import { stopRequested } from "./supervisor/stop-request.js";
import { createSupervisor, type Supervisor } from "./supervisor/supervisor.js";

/** The arguments without program names, the environment, and the initial parent process. */
export interface Invocation {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly parentPid: number;
}

/** Runs until stopped and returns the exit code; everything it started has ended by then. */
export async function main({ args, env, parentPid }: Invocation): Promise<number> {
  outliveTheTerminal();
  const stop = stopRequested({ pid: parentPid, isNpm: env["npm_lifecycle_event"] !== undefined });
  const interrupted = new AbortController();
  let giveBack = (): void => undefined;
  let supervisor: Supervisor | null = null;
  try {
    const settings = readSettings(args, env);
    giveBack = await takeDataDir(settings.dataDir, publicUrlOf(settings, env));
    supervisor = createSupervisor(settings.dataDir, report);
    const started = start(settings, env, supervisor, interrupted.signal);
    const early = await Promise.race([started, stop]); // rejects if the start fails
    const { reason, exitCode } = early ?? (await stop);
    report(`\nStopping (${reason}) …`);
    interrupted.abort();
    await supervisor.stop();
    await started.catch(() => undefined); // components still starting have failed because of the stop
    report("Everything has stopped; the data is kept.");
    return exitCode;
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error;
    console.error(`\n${error.message}`);
    return 1;
  } finally {
    interrupted.abort();
    await supervisor?.stop(); // does nothing a second time
    giveBack();
  }
}

async function start(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  supervisor: Supervisor,
  signal: AbortSignal,
): Promise<void> {
  const { dataDir, given, replicas } = settings;
  const say = (line: string): void => {
    if (!signal.aborted) report(line);
  };
  const leftovers = await stopLeftovers(runFolderOf(dataDir));
  if (leftovers.length > 0) say(`Stopped what an earlier run had left behind: ${leftovers.join(", ")}.`);
  const gatewayPorts = Array.from({ length: replicas.gateway }, (_, index) => settings.port + index);
  for (const port of gatewayPorts) await requireFreePort(port, "PORT");
  requireBuilt();

  const secrets = loadSecrets(dataDir);
  const servers = await prepareServers({ dataDir, secrets, given, report: say, signal });
  signal.throwIfAborted();
  say("Starting …");
  await supervisor.start(servers.components);

  const ports = {
    gateway: await withOpsPorts(gatewayPorts),
    identity: await withOpsPorts(await freePorts(replicas.identity)),
    topology: await withOpsPorts(await freePorts(replicas.topology)),
  };
  const system: System = {
    dataDir,
    secrets,
    servers: servers.urls,
    publicUrl: publicUrlOf(settings, env),
    databases: { identity: "identity", topology: "topology" },
    environment: env,
    identityUrls: ports.identity.map(urlOf),
    topologyUrls: ports.topology.map(urlOf),
  };
  const replicasOf = (kind: ProcessKind): Component[] =>
    ports[kind].map((own, index) => createProcess(kind, `${kind}-${index + 1}`, own, system));
  const startProcesses = async (): Promise<void> => {
    await supervisor.start([...replicasOf("topology"), ...replicasOf("identity")]);
    await supervisor.start(replicasOf("gateway"));
  };
  const urls = gatewayPorts.map((port) => `http://localhost:${port}`);
  const isAlone = given.mongodb === undefined;
  const startWith = async (record: DemoRecord | null): Promise<void> => {
    const movedAt = await moveDemo(system, record);
    await startProcesses();
    if (movedAt !== null)
      await untilJournalPasses(movedAt, { mongodbUrl: servers.urls.mongodb, databases: system.databases });
  };
  await startWith(readDemoRecord(dataDir)); // an earlier start was stopped before it could move it
  const baseUrl = `http://127.0.0.1:${gatewayPorts[0] ?? settings.port}`;
  const demo = settings.demo ? await demoOrSentence({ baseUrl, dataDir, report, signal, isAlone }) : null;
  if (demo?.toMove !== undefined) {
    say("Moving its history into the past week …");
    await supervisor.stopProcesses();
    await startWith(demo);
  }
  say(banner(urls, dataDir, demo));
}

/** Moves the times of a new demo while no process runs. @returns when that was; null if nothing was moved */
async function moveDemo({ dataDir, servers, databases }: System, record: DemoRecord | null): Promise<Timestamp | null> {
  if (record?.toMove === undefined) return null;
  const { toMove, ...rest } = record;
  const movedAt = await moveIntoPast({ mongodbUrl: servers.mongodb, databases, ...toMove });
  writeDemoRecord(dataDir, rest);
  return movedAt;
}

/** The system is useful without demo data, so a failure is only reported. */
async function demoOrSentence(options: DemoOptions): Promise<DemoRecord | null> {
  try {
    return await createDemo(options);
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error;
    console.error(`\n${error.message}`);
    return null;
  }
}

async function withOpsPorts(ports: readonly number[]): Promise<ProcessPorts[]> {
  const opsPorts = await freePorts(ports.length);
  return ports.map((port, index) => ({ port, opsPort: opsPorts[index] ?? 0 }));
}

function publicUrlOf(settings: Settings, env: NodeJS.ProcessEnv): string {
  return env["PUBLIC_URL"] ?? `http://localhost:${settings.port}`;
}

function report(line: string): void {
  console.log(line);
}

/** A closed terminal must not prevent an orderly stop: output is dropped. */
function outliveTheTerminal(): void {
  process.stdout.on("error", () => undefined);
  process.stderr.on("error", () => undefined);
}

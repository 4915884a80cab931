/**
 * `npm run bench -- writers`: the cost of contention: sixteen writers of one host and of one network, compared with uncontended
 * work, over one and two topologies; and writers alongside dry runs of a deletion (`--dry-runs` for these only).
 */
import { setTimeout as delay } from "node:timers/promises";
import { createTenancySigner } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { startStack, type Stack } from "../support/stack.js";
import { callerOf, type Caller } from "../support/api.js";
import { valueAt } from "./shares.js";

const WRITERS = 16;
const SECONDS = process.argv.includes("--quick") ? 2 : 6;
const ROUNDS_BESIDE = 4;
const IS_DRY_RUNS_ONLY = process.argv.includes("--dry-runs");

interface Made {
  readonly id: string;
  readonly [member: string]: unknown;
}

for (const topologies of [1, 2]) {
  const stack = await startStack({
    gateways: 0,
    identities: 0,
    topologies,
    ownMongod: true,
    env: { LOG_LEVEL: "warn" },
  });
  try {
    console.log(`\n## ${WRITERS} writers, ${topologies} topology process${topologies === 1 ? "" : "es"}\n`);
    console.log("| work | per second | p50 ms | p99 ms | refused |\n| --- | --- | --- | --- | --- |");
    const callers = callersOf(stack);
    await besideDryRuns(callers);
    if (!IS_DRY_RUNS_ONLY) await sideBySide(callers);
  } finally {
    await stack.stop();
  }
}

/** Sixteen callers of one organization, spread over the processes. */
function callersOf({ topologies, tenancySecrets }: Stack): Caller[] {
  const scope = { organizationId: newId(), networks: "all" } as const;
  const principal = { kind: "session", credentialId: newId(), userId: newId(), permission: "Owner", scope } as const;
  const headers = { "x-tenancy": createTenancySigner(tenancySecrets.gatewayToTopology, "topology")(principal) };
  return Array.from({ length: WRITERS }, (_, n) =>
    callerOf(topologies[n % topologies.length]?.url ?? "", "writer", headers),
  );
}

/** What an update changes, differently from round to round. */
type Change = (service: Made, host: Made, round: number) => object;

function names(_service: Made, _host: Made, round: number): object {
  return { name: `service ${round % 2}` };
}

function bindings(_service: Made, { ports }: Made, round: number): object {
  const [port] = ports as Made[];
  return { bindings: round % 2 === 0 ? [{ type: "Port", port_id: port?.id }] : [] };
}

async function updates(callers: readonly Caller[], hosts: number, change: Change): Promise<Measured> {
  const first = callers[0] as Caller;
  const network = await made(first, "/api/v1/networks", { name: "network" });
  const services: { readonly service: Made; readonly host: Made }[] = [];
  for (let h = 0; h < hosts; h++) {
    const children = Array.from({ length: WRITERS / hosts }, (_, n) => ({
      name: `service ${n}`,
      service_definition: "nginx",
    }));
    const ports = [{ number: 80, protocol: "Tcp" }];
    const body = { network_id: network.id, name: "host", ports, services: children };
    const host = await made(first, "/api/v1/hosts", body);
    services.push(...(host["services"] as Made[]).map((service) => ({ service, host })));
  }
  const work = `updates of ${change.name} of services on ${hosts === 1 ? "one host" : `${hosts} hosts`}`;
  return run(work, callers, (caller, n, round) => {
    const { service, host } = services[n % services.length] as (typeof services)[number];
    return caller.send("put", `/api/v1/services/${service.id}`, { ...service, ...change(service, host, round) });
  });
}

async function creates(callers: readonly Caller[], work: string, networks: number): Promise<Measured> {
  const first = callers[0] as Caller;
  const targets: Made[] = [];
  for (let n = 0; n < networks; n++) targets.push(await made(first, "/api/v1/networks", { name: "network" }));
  return run(work, callers, (caller, n) =>
    caller.send("post", "/api/v1/hosts", { network_id: targets[n % networks]?.id, name: "host" }),
  );
}

async function sideBySide(callers: readonly Caller[]): Promise<void> {
  for (const change of [names, bindings]) for (const hosts of [1, WRITERS]) await updates(callers, hosts, change);
  const one = await creates(callers, "creates of hosts in one network", 1);
  const many = await creates(callers, `creates of hosts in ${WRITERS} networks`, WRITERS);
  console.log(
    `\ncreates into one network are ${(one.perSecond / many.perSecond).toFixed(2)} × as fast as into ${WRITERS}`,
  );
}

/** Eight writers of eight hosts, each at most twenty times a second, alone and alongside dry runs of a deletion. */
async function besideDryRuns(callers: readonly Caller[]): Promise<void> {
  const first = callers[0] as Caller;
  const network = await made(first, "/api/v1/networks", { name: "network" });
  const services = Array.from({ length: 160 }, (_, n) => ({ name: `service ${n}`, service_definition: "nginx" }));
  const full = await made(first, "/api/v1/hosts", { network_id: network.id, name: "full", services });
  const gentle = callers.slice(0, 8);
  const hosts = await Promise.all(
    gentle.map((caller) => made(caller, "/api/v1/hosts", { network_id: network.id, name: "host" })),
  );
  const write: RaceRequest = (caller, n, round) =>
    caller.send("put", `/api/v1/hosts/${hosts[n]?.id ?? ""}`, { ...hosts[n], name: `host ${round % 2}` });
  const tryToDelete: RaceRequest = (caller) => caller.send("delete", `/api/v1/hosts/${full.id}?dry_run=true`);
  const samples = { alone: noSample(), beside: noSample(), tried: noSample() };
  // Alternating, because the speed of the machine varies.
  for (let round = 0; round < ROUNDS_BESIDE; round++) {
    await measure(samples.alone, gentle, write, 50);
    await Promise.all([measure(samples.tried, callers, tryToDelete), measure(samples.beside, gentle, write, 50)]);
  }
  const alone = report("gentle updates of 8 hosts", samples.alone);
  const beside = report("gentle updates of 8 hosts, meanwhile", samples.beside);
  report("dry runs of the deletion of another host with 160 services", samples.tried);
  console.log(
    `\nalongside dry runs the slowest of a hundred updates took ${(beside.p99Ms / alone.p99Ms).toFixed(2)} × as long`,
  );
}

async function made(caller: Caller, path: string, body: object): Promise<Made> {
  const { status, text } = await caller.send("post", path, body);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  return JSON.parse(text) as Made;
}

type RaceRequest = (caller: Caller, n: number, round: number) => ReturnType<Caller["send"]>;

/** The results of requests. */
interface Sample {
  readonly latencies: number[];
  readonly refused: Map<string, number>;
  seconds: number;
}

interface Measured {
  readonly perSecond: number;
  readonly p99Ms: number;
}

function noSample(): Sample {
  return { latencies: [], refused: new Map(), seconds: 0 };
}

/** Runs the callers for a while, and adds the results to a sample. */
async function measure(sample: Sample, callers: readonly Caller[], act: RaceRequest, paceMs = 0): Promise<void> {
  const { latencies, refused } = sample;
  const until = performance.now() + SECONDS * 1_000;
  const writer = async (caller: Caller, n: number): Promise<void> => {
    for (let round = 0; performance.now() < until; round++) {
      const startedAt = performance.now();
      const { status, body } = await act(caller, n, round);
      latencies.push(performance.now() - startedAt);
      if (status !== 200) refused.set(body.code, (refused.get(body.code) ?? 0) + 1);
      if (paceMs > 0) await delay(paceMs);
    }
  };
  await Promise.all(callers.map(writer));
  sample.seconds += SECONDS;
}

function report(work: string, { latencies, refused, seconds }: Sample): Measured {
  latencies.sort((a, b) => a - b);
  const at = (share: number): string => valueAt(share, latencies).toFixed(0);
  const perSecond = latencies.length / seconds;
  const refusals = [...refused].map(([code, count]) => `${count} ${code}`).join(", ") || "none";
  console.log(`| ${work} | ${perSecond.toFixed(0)} | ${at(0.5)} | ${at(0.99)} | ${refusals} |`);
  return { perSecond, p99Ms: valueAt(0.99, latencies) };
}

async function run(work: string, callers: readonly Caller[], act: RaceRequest): Promise<Measured> {
  const sample = noSample();
  await measure(sample, callers, act);
  return report(work, sample);
}

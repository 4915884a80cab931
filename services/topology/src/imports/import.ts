import type {
  ImportedDependency,
  ImportedSubnet,
  ImportFormat,
  ImportSummary,
  Interface,
  UploadedBytes,
} from "@nts/shared/contract";
import { type CsvResource, type SaidColumn, takesHost, takesResource } from "@nts/shared/contract/import-formats";
import { AppError, validationFailed } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Log } from "@nts/shared/log";
import { asAppError } from "@nts/shared/mongo/faults";
import type { Work } from "@nts/shared/work";
import { chunksOf } from "@nts/shared/groups";
import { narrowedTo } from "../storage/scope.js";
import { STORED } from "../storage/entity-reader.js";
import type { Storage } from "../storage/storage.js";
import {
  resultOf,
  failedResult,
  countDependencies,
  countHost,
  countSubnet,
  emptySummary,
  type HostResult,
  refusalOf,
} from "./result.rules.js";
import { applyHost, createHosts, makeSubnets, type Target, updateHosts } from "./apply.js";
import { type BatchSize, createBatchSize } from "./batch-size.js";
import { connectedMachines } from "./connected.js";
import type { CoverageLimit } from "./limited-coverage.js";
import type { ImportRunner, Turn } from "./runner.js";
import { type Outcomes, outcomesOf } from "./outcomes.js";
import type { KnownInterface, Match } from "./match.rules.js";
import { hintsOf } from "./places.js";
import type { SubnetPlace } from "./plan.rules.js";
import { createSkipped, type FileLimits, RESPONSE_LIMITS, type Skipped } from "./scan.rules.js";
import { createSightingRecorder, type SightingRecorder } from "./sighting-recorder.js";
import type { NamedMachine } from "./recognition.js";
import type { Job, ReadFile } from "./session.js";
import { bareHosts, hostsNamed, subnetsOf } from "./store.js";
import { wire } from "./wiring/apply-wiring.js";
import type { FileBlocks } from "./spool.js";
import type { Remote } from "./thread.js";

// An import, from the file to its streamed result: everything that may reject the import as a whole precedes the first
// chunk, then each subnet and host follows as it is done.

/** Hosts written concurrently, so that connections are left for others. */
const AT_A_TIME = 3;
/** Subnets created together; each has sixteen guards. */
const SUBNET_BATCH = 20;
/** Consecutive database errors after which the import gives up. */
const MOST_FAULTS = 3;
const NOTHING_COVERED = { addresses: [], ports: [] };

/** An import without its file. */
export interface ImportParameters {
  readonly work: Work;
  readonly scope: Scope;
  readonly networkId: string;
  readonly isDry: boolean;
  readonly subnetHints: readonly string[];
  readonly format: ImportFormat | "nmap";
  /** The machine that produced the file. */
  readonly host: { readonly id: string | undefined; readonly name: string | undefined };
  /** The kind of rows of a table. */
  readonly resource: CsvResource | null;
  /** What the request says of the columns of a table. */
  readonly columns: readonly SaidColumn[];
  /** What it may cover; absent for all that it says. */
  readonly coverage?: CoverageLimit;
  /** When the file was created, if known. */
  readonly atMs: number;
  readonly log: Log;
}

export interface ImportRequest extends ImportParameters {
  readonly file: UploadedBytes;
}

/** An import whose references have been found. */
export interface PreparedImport extends ImportParameters {
  readonly hints: ReturnType<typeof hintsOf>;
  readonly named: NamedMachine | null;
  /** The name of the network. */
  readonly network: string;
}

/** Follows an import, and may stop it. */
export interface ImportWatch {
  /** The file has been read. */
  begin(format: string, hosts: number): void;
  /** Called before something is written. */
  look(): Promise<void>;
  /** If true, no further host is begun. */
  isStopped(): boolean;
  hostDone(): void;
  /** It is done. @param covered blocks, for display */
  done?(summary: object, covered: readonly string[]): void;
}

const UNWATCHED: ImportWatch = {
  begin: () => undefined,
  look: () => Promise.resolve(),
  isStopped: () => false,
  hostDone: () => undefined,
};

/** Shared by all steps of an import. */
interface Run extends PreparedImport {
  readonly storage: Storage;
  readonly session: Remote;
  readonly watch: ImportWatch;
  readonly target: Target;
  /** Why a subnet could not be created, by CIDR. */
  readonly failedSubnets: Map<string, AppError>;
}

/**
 * Imports a file, or reports what importing it would do.
 *
 * @returns the JSON text of an `ImportPlan` in chunks
 * @throws AppError before the first chunk: `invalid_reference` at `network_id` or `host_id` · `validation_failed` ·
 * `too_many_subnets` ·
 * `import_too_expensive` · `rate_limited` · `unavailable`
 */
export async function* importScan(
  storage: Storage,
  runner: ImportRunner,
  request: ImportRequest,
): AsyncGenerator<string> {
  const { file, ...parameters } = request;
  const prepared = await prepareImport(storage, parameters);
  yield* runner.run(prepared.scope.organizationId, file, ({ session, takeFile }: Turn) =>
    runImport(storage, prepared, {
      ...{ session, file: takeFile(), isPacked: false },
      ...{ limits: RESPONSE_LIMITS, watch: UNWATCHED },
    }),
  );
}

/** @throws AppError `invalid_reference` at `network_id` or `host_id` · `validation_failed` */
export async function prepareImport(storage: Storage, parameters: ImportParameters): Promise<PreparedImport> {
  const { networkId } = parameters;
  const scope = narrowedTo(parameters.scope, networkId);
  const hints = hintsOf(parameters.subnetHints);
  const network = await storage.networks.find(scope, networkId);
  if (network === null) throw new AppError("invalid_reference", { path: "network_id" });
  const named = await namedBy(storage, scope, parameters);
  requireTable(parameters);
  return { ...parameters, scope, hints, named, network: network.entity.name };
}

/** What runs an import. */
interface ImportRun {
  /** In its own thread. */
  readonly session: Remote;
  /** Its blocks, which are transferred. */
  readonly file: Iterable<FileBlocks[number]> | AsyncIterable<FileBlocks[number]>;
  /** Each block is compressed by itself; otherwise the file may be. */
  readonly isPacked: boolean;
  readonly limits: FileLimits;
  readonly watch: ImportWatch;
}

/** Runs an import. @returns and throws as {@link importScan} */
export async function* runImport(
  storage: Storage,
  prepared: PreparedImport,
  { session, file, isPacked, limits, watch }: ImportRun,
): AsyncGenerator<string> {
  const { work, scope, networkId, network, hints, named, format, resource, columns, atMs, coverage } = prepared;
  const run: Run = {
    ...prepared,
    storage,
    session,
    watch,
    // The upload may have taken long, so hidden entities are read again.
    target: { work, scope: await storage.deletions.visible(scope), networkId },
    failedSubnets: new Map(),
  };
  const given = {
    networkId,
    network,
    // Only tables have tags.
    ...(format !== "nmap" && takesResource(format) && { tags: await tagsByName(storage, scope) }),
    hints,
    format,
    resource,
    columns,
    named,
    nowMs: atMs,
    limits,
    isPacked,
    ...(coverage && { coverage }),
  };
  for await (const block of file) await session.receive(block);
  yield* responseText(run, await session.read(given));
}

/** Ids of the organization's tags, of which there are few, by their names in lower case. */
async function tagsByName({ tags }: Storage, scope: Scope): Promise<ReadonlyMap<string, string>> {
  const found = await tags.select(scope, {}, { projection: STORED });
  return new Map(
    found.map((document) => tags.storedIn(document, scope).entity).map(({ id, name }) => [name.toLowerCase(), id]),
  );
}

/** The machine that produced the file; null if the request names none. */
async function namedBy(
  storage: Storage,
  scope: Scope,
  { host, format }: ImportParameters,
): Promise<NamedMachine | null> {
  const { id, name } = host;
  if (id === undefined && name === undefined) return null;
  if (id !== undefined && name !== undefined)
    throw validationFailed({ path: "hostname", message: "cannot be combined with host_id" });
  if (format === "nmap" || !takesHost(format))
    throw validationFailed({
      path: id === undefined ? "hostname" : "host_id",
      message: `is not supported for files of the format ${format}`,
    });
  if (id !== undefined) {
    if ((await storage.hosts.find(scope, id)) === null) throw new AppError("invalid_reference", { path: "host_id" });
    return { hostId: id, hostname: null };
  }
  const [hostId = null, another] = await hostsNamed(storage, scope, name ?? "");
  if (another !== undefined)
    throw validationFailed({ path: "hostname", message: "is the name of several hosts; specify host_id" });
  return { hostId, hostname: name ?? null };
}

/** @throws AppError `validation_failed` at `resource` or `columns` */
function requireTable({ resource, columns, format }: ImportParameters): void {
  const isOfTable = resource !== null || columns.length > 0;
  if (!isOfTable || (format !== "nmap" && takesResource(format))) return;
  const path = resource === null ? "columns" : "resource";
  throw validationFailed({ path, message: `is not supported for files of the format ${format}` });
}

async function* responseText(run: Run, read: ReadFile): AsyncGenerator<string> {
  const { format, info, brokeOff, columns, batches, covered, devices } = read;
  const { storage, session, target, isDry, networkId, atMs, watch } = run;
  for (let batch = 0; batch < batches; batch++) {
    const identities = await session.identities(batch);
    const found = await storage.interfaces.findByIdentity(target.scope, identities);
    await session.recognize(found.map(identifying));
  }
  await recognizeHosts(run);
  const { subnets, jobs } = await session.settle(await subnetsOf(storage, target.scope));
  watch.begin(format, jobs);
  const leftOut = await session.leftOut();
  const skipped = createSkipped(leftOut);
  const summary = { ...emptySummary(), unanswered: leftOut.unanswered };
  const sightingRecorder = createSightingRecorder({ storage, session, target, isDry, atMs }, format, (error) => {
    run.log.error({ err: error, network_id: networkId }, "sightings of an import could not be recorded");
  });

  const head = {
    dry_run: isDry,
    network_id: networkId,
    format,
    scan: info,
    complete: brokeOff === null,
    broke_off: brokeOff,
    covered: covered?.reported ?? NOTHING_COVERED,
    ...(columns !== undefined && { columns }),
  };
  yield `${JSON.stringify(head).slice(0, -1)},"subnets":[`;
  yield* listed(subnetsDone(run, subnets), (subnet) => {
    countSubnet(summary, subnet);
    return Promise.resolve(JSON.stringify(subnet));
  });
  yield `],"hosts":[`;
  yield* listed(hostsDone(run, jobs, format), async (host) => {
    countHost(summary, host.counts);
    for (const { line, what, reason } of host.skipped) skipped.add(line, what, reason);
    await sightingRecorder.take(host);
    watch.hostDone();
    return host.text;
  });
  yield `],"dependencies":[`;
  yield* listed(dependenciesDone(run, format, { summary, skipped, sightingRecorder }), (one) =>
    Promise.resolve(JSON.stringify(one)),
  );
  const wired = await wire(
    {
      ...{ storage, session, target, isDry, attempt: createAttempts(run) },
      ...{ isStopped: () => watch.isStopped(), look: () => watch.look() },
    },
    { devices },
  );
  for (const { line, what, reason } of wired.skipped) skipped.add(line, what, reason);
  yield `],"vlans":[`;
  yield* listed(wired.vlans, (vlan) => {
    summary.vlans[vlan.action]++;
    return Promise.resolve(JSON.stringify(vlan));
  });
  yield `],"links":[`;
  yield* listed(wired.links, ({ newSwitches, ...link }) => {
    summary.links[link.action]++;
    summary.hosts.create += newSwitches;
    return Promise.resolve(JSON.stringify(link));
  });
  yield `],"missing":[`;
  // A stopped import does not know what the other hosts would have found.
  if (!watch.isStopped())
    yield* listed(sightingRecorder.missing(covered, summary), (one) => Promise.resolve(JSON.stringify(one)));
  summary.skipped = skipped.count();
  watch.done?.(summary, head.covered.addresses);
  const inOrder = [...skipped.listed].sort((a, b) => a.line - b.line);
  yield `],"skipped":${JSON.stringify(inOrder)},"summary":${JSON.stringify(summary)}}`;
}

interface Counting {
  readonly summary: ImportSummary;
  readonly skipped: Skipped;
  readonly sightingRecorder: SightingRecorder;
}

/** What the machines of the file are connected to; a stopped import does not know all hosts. */
async function* dependenciesDone(
  run: Run,
  by: string,
  { summary, skipped, sightingRecorder }: Counting,
): AsyncGenerator<ImportedDependency> {
  const { watch } = run;
  if (watch.isStopped()) return;
  const connecting = { ...run, by, look: () => watch.look(), faultOf: (error: unknown) => faultOf(run, error) };
  for await (const { results, sighting, notMade, skipped: left } of connectedMachines(connecting)) {
    countDependencies(summary, results, notMade);
    for (const { line, what, reason } of left) skipped.add(line, what, reason);
    await sightingRecorder.take({ id: null, sighting });
    yield* results;
    if (watch.isStopped()) return;
  }
}

/** What the thread keeps of an interface. */
function identifying({
  id,
  name,
  host_id,
  subnet_id,
  ip_address,
  mac_address,
  is_separate,
}: Interface): KnownInterface {
  return { id, name, host_id, subnet_id, ip_address, mac_address, is_separate };
}

/** Looks for recognizable hosts without matching interfaces. */
async function recognizeHosts({ storage, session, target: { scope } }: Run): Promise<void> {
  const { hosts } = storage;
  for (let batch = 0; ; batch++) {
    const ids = await session.addressed(batch);
    if (ids === null) break;
    await session.recognizeBare(await bareHosts(storage, scope, ids));
  }
  for (let batch = 0; ; batch++) {
    const marked = await session.marked(batch);
    if (marked === null) break;
    await session.recognizeMarked(await hosts.findByMarks(scope, marked.keys));
    await session.recognizeMarked(await hosts.findMarked(scope, marked.hostIds));
  }
  for (let batch = 0; ; batch++) {
    const unrecognized = await session.unrecognized(batch);
    if (unrecognized === null) return;
    await session.recognizeHosts(await hosts.findByLostMacs(scope, unrecognized.macAddresses));
    await session.recognizeHosts(await hosts.findByLabels(scope, unrecognized.labels));
  }
}

/** @param taken records an item, and returns its text */
async function* listed<T>(
  items: Iterable<T> | AsyncIterable<T>,
  taken: (item: T) => Promise<string>,
): AsyncGenerator<string> {
  let before = "";
  for await (const item of items) {
    yield before + (await taken(item));
    before = ",";
  }
}

async function* subnetsDone(run: Run, subnets: readonly SubnetPlace[]): AsyncGenerator<ImportedSubnet> {
  const { isDry, storage, session, target, failedSubnets, watch } = run;
  for (const { id, cidr } of subnets) if (id !== null) yield { action: "existing", id, cidr, error: null };
  const missing = subnets.flatMap(({ id, cidr }) => (id === null ? [cidr] : []));
  for (const batch of chunksOf(missing, SUBNET_BATCH)) {
    if (isDry) {
      for (const cidr of batch) yield { action: "create", id: null, cidr, error: null };
      continue;
    }
    await watch.look();
    if (watch.isStopped()) return;
    try {
      for (const { id, cidr, isNew } of await makeSubnets(storage, target, batch)) {
        await session.subnetMade(cidr, id);
        yield { action: isNew ? "create" : "existing", id, cidr, error: null };
      }
    } catch (error) {
      const fault = faultOf(run, error);
      for (const cidr of batch) {
        failedSubnets.set(cidr, fault);
        yield { action: "failed", id: null, cidr, error: refusalOf(fault) };
      }
    }
  }
}

async function* hostsDone(run: Run, count: number, by: string): AsyncGenerator<HostResult> {
  const attempt = createAttempts(run);
  const size = createBatchSize();
  const { watch } = run;
  for (let from = 0; from < count && !watch.isStopped();) {
    const jobs = await run.session.jobs(from);
    from += jobs.length;
    const creating = {
      by,
      attempt,
      size,
      done: new Map<number, HostResult | AppError>(),
      matches: new Map<number, Match>(),
    };
    // The named machine first, because the others may run on it.
    for (const job of run.isDry ? [] : jobs.filter(({ named }) => named !== null))
      creating.done.set(job.index, await attempt(() => hostDone(run, job, new Map())));
    const added = run.isDry ? [] : jobs.filter((job) => isNew(run, job));
    await writeTogether(run, added, creating, creatingHosts(run, creating));
    const { done, matches } = creating;
    const others = jobs
      .filter(({ index }) => !done.has(index))
      .map((job) => ({ ...job, match: matches.get(job.index) ?? job.match }));
    const outcomes = await attempt(() => outcomesOf(run, others));
    for (const { index } of others) if (outcomes instanceof AppError) done.set(index, outcomes);
    const known = outcomes instanceof AppError ? new Map<never, never>() : outcomes;
    const current = new Map(others.map((job) => [job.index, job]));
    const changed = others.filter((job) => isUpdate(run, job, known));
    await writeTogether(run, changed, creating, updatingHosts(run, creating));
    const results = inOrder(begun(jobs, done, watch), async (job): Promise<HostResult | AppError> => {
      return done.get(job.index) ?? attempt(() => hostDone(run, current.get(job.index) ?? job, known));
    });
    for await (const [job, result] of results) yield result instanceof AppError ? failedResult(job, result) : result;
  }
}

/** The hosts that are done, and the others until the import is stopped. */
function* begun(jobs: readonly Job[], done: ReadonlyMap<number, unknown>, watch: ImportWatch): Generator<Job> {
  for (const job of jobs) if (done.has(job.index) || !watch.isStopped()) yield job;
}

/** Whether a host is written together with others. */
function isNew({ failedSubnets }: Run, { match, losers, named, subnets }: Job): boolean {
  return match === null && losers.length === 0 && named === null && !subnets.some((cidr) => failedSubnets.has(cidr));
}

/** Whether what an existing host lacks is written together with that of others. */
function isUpdate({ failedSubnets, isDry }: Run, job: Job, outcomes: Outcomes): boolean {
  const { index, match, losers, named, subnets } = job;
  const outcome = outcomes.get(index);
  const lacksSomething = outcome !== undefined && "result" in outcome && outcome.result === null;
  if (isDry || !lacksSomething || match === null || match.joins !== undefined) return false;
  return losers.length === 0 && named === null && !subnets.some((cidr) => failedSubnets.has(cidr));
}

interface Creating {
  /** The format of the file. */
  readonly by: string;
  readonly attempt: Attempt;
  readonly size: BatchSize;
  readonly done: Map<number, HostResult | AppError>;
  /** Hosts that were created meanwhile. */
  readonly matches: Map<number, Match>;
}

/** How hosts are written together. */
interface Together {
  /** Fewer are not written together. */
  readonly fewest: number;
  /** Writes hosts in one transaction. @param took receives its duration */
  write(jobs: readonly Job[], took: (ms: number) => void): Promise<void>;
  /** A host cannot be written, not even by itself. */
  failed(job: Job, error: AppError): void;
}

/** Writes batches of hosts in a transaction each; one that fails in two, so that in the end only what is at fault fails. */
async function writeTogether(
  { watch }: Run,
  jobs: readonly Job[],
  { attempt, size }: Creating,
  { fewest, write, failed }: Together,
): Promise<void> {
  const writeAll = async (some: readonly Job[]): Promise<void> => {
    if (some.length < fewest) return;
    const took = (ms: number): void => {
      size.took(some, ms);
    };
    const fault = await attempt(() => write(some, took));
    if (!(fault instanceof AppError)) return;
    const [first, ...more] = some;
    if (first !== undefined && more.length === 0) {
      failed(first, fault);
      return;
    }
    const half = Math.ceil(some.length / 2);
    for (const part of [some.slice(0, half), some.slice(half)]) await writeAll(part);
  };
  for (const batch of size.batchesOf(jobs)) {
    await watch.look();
    if (!watch.isStopped()) await writeAll(batch);
  }
}

/** Creates hosts. Those that exist by now get their matches instead. */
function creatingHosts({ storage, target, session, atMs }: Run, { by, done, matches }: Creating): Together {
  return {
    fewest: 1,
    write: async (jobs, took) => {
      const created = await createHosts(storage, target, session, { jobs, atMs, by, took });
      for (const [index, result] of created.results) done.set(index, result);
      for (const [index, match] of created.matches) matches.set(index, match);
    },
    failed: ({ index }, error) => void done.set(index, error),
  };
}

/** Writes existing hosts. One by itself is written like those that take something from others. */
function updatingHosts({ storage, target, session }: Run, { done }: Creating): Together {
  return {
    fewest: 2,
    write: async (jobs, took) => {
      const updated = await updateHosts(storage, target, session, { jobs, took });
      for (const [index, result] of updated) done.set(index, result);
    },
    failed: () => undefined,
  };
}

type Attempt = <T>(work: () => Promise<T>) => Promise<T | AppError>;

/** Creates a function that reports failures, and gives up after too many in a row. */
function createAttempts(run: Run): Attempt {
  let inARow = 0;
  let last = new AppError("unavailable");
  return async (work) => {
    if (inARow >= MOST_FAULTS) return last;
    try {
      const result = await work();
      inARow = 0;
      return result;
    } catch (error) {
      last = faultOf(run, error);
      if (last.code === "import_too_expensive") inARow = MOST_FAULTS;
      else inARow = last.code === "unavailable" ? inARow + 1 : 0;
      return last;
    }
  };
}

/** Writes what a host lacks. */
async function hostDone(run: Run, job: Job, outcomes: Outcomes): Promise<HostResult> {
  const { storage, session, target, failedSubnets, watch } = run;
  for (const cidr of job.subnets) {
    const fault = failedSubnets.get(cidr);
    if (fault !== undefined) throw fault;
  }
  const outcome = outcomes.get(job.index);
  if (outcome !== undefined && "refusal" in outcome) throw new AppError(outcome.refusal.code, outcome.refusal.params);
  if (outcome !== undefined && outcome.result !== null) return outcome.result;
  await watch.look();
  const { plan, names } = await applyHost(storage, target, session, job);
  return resultOf(plan, names, false);
}

/** The failure as reported to the caller; unexpected ones are logged. */
function faultOf({ log, networkId }: Run, error: unknown): AppError {
  if (error instanceof AppError && error.code !== "internal_error") return error;
  const fault = asAppError(error);
  log.error({ err: fault.cause ?? error, code: fault.code, network_id: networkId }, "a part of an import failed");
  return fault;
}

/** Processes several items concurrently. @param work never rejects @returns the results in item order */
async function* inOrder<T, R>(items: Iterable<T>, work: (item: T) => Promise<R>): AsyncGenerator<[T, R]> {
  const started: { item: T; outcome: Promise<R> }[] = [];
  try {
    for (const item of items) {
      started.push({ item, outcome: work(item) });
      if (started.length < AT_A_TIME) continue;
      const first = started.shift();
      if (first !== undefined) yield [first.item, await first.outcome];
    }
    for (let next = started.shift(); next !== undefined; next = started.shift()) yield [next.item, await next.outcome];
  } finally {
    // A reader that stops early waits for running items.
    await Promise.all(started.map(({ outcome }) => outcome));
  }
}

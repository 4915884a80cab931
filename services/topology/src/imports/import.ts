import type { ImportedHost, ImportedSubnet, UploadedBytes } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import type { Log } from "@nts/shared/log";
import { mapMongoFault } from "@nts/shared/mongo/faults";
import type { KnownHost } from "../hosts/store.js";
import { narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";
import { countHost, countSubnet, emptySummary, failedHost, hostAnswer, refusalOf } from "./answer.js";
import { applyHost, makeSubnets, type Target } from "./apply.js";
import { type Match, matchOf } from "./match.js";
import { mergeSeen, together } from "./merge.js";
import { readScan } from "./nmap.js";
import { createPlaces, hintsOf } from "./places.js";
import { planHost, type PlannedHost } from "./plan.js";
import type { Scan, SeenHost } from "./scan.js";
import { interfacesOf, subnetsOf } from "./store.js";

// One import from its file to its answer, which is sent while it is made: everything that may refuse the import as a whole
// comes before the first piece, then each subnet and host as it is done.

/** Hosts that are looked for together. */
const BATCH = 100;
/** Hosts that are written at a time. */
const AT_A_TIME = 6;
/** Subnets that are made together; each has sixteen guards. */
const SUBNET_BATCH = 20;
/** Faults of the database in a row after which nothing more is tried. */
const MOST_FAULTS = 3;

export interface ImportRequest {
  readonly scope: Scope;
  readonly networkId: string;
  readonly isDry: boolean;
  readonly subnetHints: readonly string[];
  readonly file: UploadedBytes;
  readonly log: Log;
}

/**
 * Imports a scan, or says what doing so would do.
 *
 * @returns the JSON text of an `ImportPlan` in pieces
 * @throws AppError before the first piece: `invalid_reference` at `network_id` · `validation_failed`
 */
export async function* importScan(storage: Storage, request: ImportRequest): AsyncGenerator<string> {
  const { networkId, isDry } = request;
  const scope = narrowedTo(request.scope, networkId);
  const hints = hintsOf(request.subnetHints);
  if ((await storage.networks.find(scope, networkId)) === null)
    throw new AppError("invalid_reference", { path: "network_id" });
  const scan = await readScan(request.file);
  const places = createPlaces(await subnetsOf(storage, scope), hints);
  const run: Run = { ...request, storage, scan, target: { scope, networkId, places }, failedSubnets: new Map() };
  const seen = await recognized(run, mergeSeen(scan.hosts, scan.skipped));
  for (const { addresses } of seen) for (const { ip } of addresses) places.of(ip);

  const summary = emptySummary();
  const { info, brokeOff, skipped } = scan;
  const head = { dry_run: isDry, network_id: networkId, scan: info, complete: brokeOff === null, broke_off: brokeOff };
  yield `${JSON.stringify(head).slice(0, -1)},"subnets":[`;
  yield* listed(subnetsDone(run), (subnet) => {
    countSubnet(summary, subnet);
  });
  yield `],"hosts":[`;
  yield* listed(hostsDone(run, seen), (host) => {
    countHost(summary, host);
  });
  summary.skipped = skipped.count();
  const inOrder = [...skipped.listed].sort((a, b) => a.line - b.line);
  yield `],"skipped":${JSON.stringify(inOrder)},"summary":${JSON.stringify(summary)}}`;
}

/** What all steps of one import know. */
interface Run extends ImportRequest {
  readonly storage: Storage;
  readonly scan: Scan;
  readonly target: Target;
  /** Why a subnet could not be made, by its block. */
  readonly failedSubnets: Map<string, AppError>;
}

async function* listed<T>(items: AsyncIterable<T>, count: (item: T) => void): AsyncGenerator<string> {
  let before = "";
  for await (const item of items) {
    count(item);
    yield before + JSON.stringify(item);
    before = ",";
  }
}

/** What the scan has seen, with everything that is one host of ours put together. */
async function recognized(run: Run, seen: readonly SeenHost[]): Promise<SeenHost[]> {
  const sightings = new Map<string, SeenHost[]>();
  for (const batch of inBatches(seen, BATCH))
    for (const [index, match] of (await matchesOf(run, batch)).entries()) {
      const host = batch[index];
      const key = match?.hostId ?? `new ${sightings.size}`;
      if (host !== undefined) sightings.set(key, [...(sightings.get(key) ?? []), host]);
    }
  return [...sightings.values()].map(([first, ...others]) => together([first as SeenHost, ...others]));
}

async function matchesOf({ storage, target }: Run, seen: readonly SeenHost[]): Promise<(Match | null)[]> {
  const { scope, places } = target;
  const known = await interfacesOf(storage, scope, seen);
  return seen.map((host) => matchOf(host, known, places.prefixOf));
}

async function* subnetsDone(run: Run): AsyncGenerator<ImportedSubnet> {
  const { isDry, storage, target, failedSubnets } = run;
  const asked = target.places.asked();
  for (const { id, cidr } of asked) if (id !== null) yield { action: "existing", id, cidr, error: null };
  for (const batch of inBatches(
    asked.flatMap(({ id, cidr }) => (id === null ? [cidr] : [])),
    SUBNET_BATCH,
  )) {
    if (isDry) {
      for (const cidr of batch) yield { action: "create", id: null, cidr, error: null };
      continue;
    }
    try {
      for (const { id, cidr, isNew } of await makeSubnets(storage, target, batch)) {
        target.places.made(cidr, id);
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

async function* hostsDone(run: Run, seen: readonly SeenHost[]): AsyncGenerator<ImportedHost> {
  const faults = { inARow: 0, last: new AppError("unavailable") };
  const attempt = async <T>(work: () => T | Promise<T>): Promise<T | AppError> => {
    if (faults.inARow >= MOST_FAULTS) return faults.last;
    try {
      const result = await work();
      faults.inARow = 0;
      return result;
    } catch (error) {
      faults.last = faultOf(run, error);
      faults.inARow = faults.last.code === "unavailable" ? faults.inARow + 1 : 0;
      return faults.last;
    }
  };
  for (const batch of inBatches(seen, BATCH)) {
    const known = await attempt(() => knownOf(run, batch));
    const outcomes = inOrder(batch.entries(), ([index, host]): Promise<PlannedHost | AppError> => {
      const there = known instanceof AppError ? known : (known[index] ?? null);
      return there instanceof AppError ? Promise.resolve(there) : attempt(() => hostDone(run, host, there));
    });
    for await (const [[, host], done] of outcomes) {
      if (done instanceof AppError) yield failedHost(host, done);
      else {
        for (const { line, what, reason } of done.skipped) run.scan.skipped.add(line, what, reason);
        yield hostAnswer(done, run.isDry);
      }
    }
  }
}

/** A host that was there before, as the plan needs it. */
type Recognized = KnownHost & Pick<Match, "by">;

async function knownOf(run: Run, seen: readonly SeenHost[]): Promise<(Recognized | null)[]> {
  const matches = await matchesOf(run, seen);
  const ids = matches.flatMap((match) => match?.hostId ?? []);
  const found = ids.length === 0 ? [] : await run.storage.hosts.findWithChildren(run.target.scope, ids);
  const byId = new Map(found.map((known) => [known.host.entity.id, known]));
  return matches.map((match) => {
    const known = byId.get(match?.hostId ?? "");
    return match === null || known === undefined ? null : { ...known, by: match.by };
  });
}

/** Plans a host, and writes what is not there yet. */
async function hostDone(run: Run, seen: SeenHost, known: Recognized | null): Promise<PlannedHost> {
  const { storage, target, isDry, failedSubnets } = run;
  const { networkId, places } = target;
  for (const { ip } of seen.addresses) {
    const fault = failedSubnets.get(places.of(ip).cidr);
    if (fault !== undefined) throw fault;
  }
  const now = new Date().toISOString();
  const plan = planHost(seen, known, { networkId, now, newId, placeOf: places.of, cidrOf: places.cidrOf });
  return isDry || plan.action === "unchanged" ? plan : applyHost(storage, target, seen, known?.host.entity.id ?? null);
}

/** A failure as the caller may see it; what is nobody's doing is logged. */
function faultOf({ log, networkId }: Run, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const fault = mapMongoFault(error) ?? new AppError("internal_error", {}, error);
  log.error({ err: error, code: fault.code, network_id: networkId }, "a part of an import failed");
  return fault;
}

/** Works on several items at a time. @param work never rejects @returns what came of each, in the order of the items */
async function* inOrder<T, R>(items: Iterable<T>, work: (item: T) => Promise<R>): AsyncGenerator<[T, R]> {
  const begun: { item: T; outcome: Promise<R> }[] = [];
  try {
    for (const item of items) {
      begun.push({ item, outcome: work(item) });
      if (begun.length < AT_A_TIME) continue;
      const first = begun.shift();
      if (first !== undefined) yield [first.item, await first.outcome];
    }
    for (let next = begun.shift(); next !== undefined; next = begun.shift()) yield [next.item, await next.outcome];
  } finally {
    // Whoever stops reading leaves nothing running behind.
    await Promise.all(begun.map(({ outcome }) => outcome));
  }
}

function inBatches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}

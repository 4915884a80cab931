import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createDeflateRaw, createInflateRaw } from "node:zlib";
import type { UploadedBytes } from "@nts/shared/contract";
import { KIND_NAMES, type KindName } from "@nts/shared/contract/kinds";
import type { ArchiveFailure, ArchiveSummary } from "@nts/shared/contract/archives";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import type { Log } from "@nts/shared/log";
import { asAppError, isDuplicateKey } from "@nts/shared/mongo/faults";
import type { Work } from "@nts/shared/work";
import type { ImportRunner } from "../imports/runner.js";
import type { TopLevelKind } from "../kinds/index.js";
import type { Storage } from "../storage/storage.js";
import { type Batch, batchesIn, type TopLevelItem } from "./batches.js";
import { createCheck, type Checked } from "./check.js";
import { takenBy, withMovedChildren } from "./moved-children.js";
import { createTopLevel, planTopLevel, replaceTopLevel, type Target } from "./top-level.js";
import { createHosts, presentHosts, updateHost } from "./hosts.js";
import { derivedId } from "./ids.js";
import { type HostGroup, type HostPlan, isNothing, type Naming, planHost, runnersIn } from "./plan.js";
import { renamedTogether } from "./renamed-tags.js";
import type { ArchivedForms } from "./forms.js";
import type { Slices } from "./slices.js";
import { idsInViews } from "./view-places.js";
import { idsNamedBy } from "../values/ends.rules.js";

// Imports an archive in two passes: it is validated and spooled (compressed) during upload, and then written in batches of one
// transaction each.

/** Maximum failures in the response. */
const MOST_FAILURES = 1_000;
/** Consecutive database faults after which the import gives up. */
const MOST_FAULTS = 3;
/** Maximum progress values in the response. */
const STEPS = 500;

export interface ArchiveRequest {
  readonly work: Work;
  /** The caller's rights; what is hidden changes during the import. */
  readonly scope: Scope;
  readonly isDry: boolean;
  readonly file: UploadedBytes;
  readonly log: Log;
  /** Called after validation, before anything is written. */
  readonly onChecked: (checked: Pick<Checked, "heading" | "counts">) => Promise<void>;
}

/** The state of one import. */
interface Run extends Omit<ArchiveRequest, "file" | "scope" | "onChecked"> {
  readonly storage: Storage;
  readonly rights: Scope;
  readonly checked: Checked;
  /** Local ids of tags, networks and subnets, and of ports and interfaces that were there already, by the ids in the archive. */
  readonly places: Map<string, string>;
  readonly summary: ArchiveSummary;
  readonly failed: ArchiveFailure[];
  /** Tags whose names others have. */
  readonly taken: TopLevelItem<"Tag">[];
  faultsInARow: number;
}

/** Dependencies shared by all imports. */
export interface ImportDependencies {
  readonly storage: Storage;
  readonly runner: ImportRunner;
  readonly slices: Slices;
}

/**
 * Imports an archive, or reports what importing it would do.
 *
 * @returns the JSON text of an `ArchiveImport` in chunks
 * @throws AppError before the first chunk: `archive_invalid` · `rate_limited` · `unavailable`
 */
export async function* importArchive(
  { storage, runner, slices }: ImportDependencies,
  request: ArchiveRequest,
): AsyncGenerator<string> {
  const { work, scope, isDry, file, log, onChecked } = request;
  const check = createCheck((slice) => slices.run(scope.organizationId, slice));
  const compressed = through(check.lines(file), createDeflateRaw({ level: 1 }));
  yield* runner.runWithFile(scope.organizationId, compressed, async function* (takeFile) {
    const checked = check.result();
    await onChecked(checked);
    const lines = through(takeFile(), createInflateRaw());
    const run: Run = {
      ...{ work, isDry, log, storage, rights: scope, checked },
      places: new Map(),
      summary: emptySummary(),
      failed: [],
      taken: [],
      faultsInARow: 0,
    };
    yield* responseText(run, batchesIn(lines));
  });
}

async function* through(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  transform: Transform,
): AsyncGenerator<Uint8Array> {
  const fed = pipeline(pieces, transform);
  // The reader gets the error from the transform.
  fed.catch(() => undefined);
  yield* transform as AsyncIterable<Uint8Array>;
  await fed;
}

async function* responseText(run: Run, batches: AsyncIterable<Batch>): AsyncGenerator<string> {
  const { heading, counts } = run.checked;
  const { organization_id, changes_cursor, networks } = heading;
  const head = { dry_run: run.isDry, archive: { organization_id, changes_cursor, networks, counts } };
  yield `${JSON.stringify(head).slice(0, -1)},"progress":[0`;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  let done = 0;
  let reported = 0;
  for await (const batch of batches) {
    const target = await targetOf(run);
    if (batch.kind !== "Tag") await settleTaken(run, target);
    if (batch.kind === "Host") await settleHosts(run, target, batch.items);
    else await settleTopLevel(run, target, batch.kind, batch.items as readonly TopLevelItem<TopLevelKind>[]);
    done += sizeOf(batch);
    if (done - reported < total / STEPS) continue;
    reported = done;
    yield `,${done}`;
  }
  await settleTaken(run, await targetOf(run));
  yield `],"failed":${JSON.stringify(run.failed)},"summary":${JSON.stringify(run.summary)}}`;
}

async function targetOf({ storage, work, rights }: Run): Promise<Target> {
  return { storage, work, scope: await storage.deletions.visible(rights) };
}

function sizeOf(batch: Batch): number {
  if (batch.kind !== "Host") return batch.items.length;
  return batch.items.reduce(
    (sum, { interfaces, ports, services }) => sum + 1 + interfaces.length + ports.length + services.length,
    0,
  );
}

async function settleTopLevel<K extends TopLevelKind>(
  run: Run,
  target: Target,
  kind: K,
  items: readonly TopLevelItem<K>[],
): Promise<void> {
  const onFailed = ({ line, data }: TopLevelItem<K>, error: AppError): Promise<void> => {
    fail(run, { line, entity: kind, id: data.id, taken: null }, error, { [kind]: 1 });
    return Promise.resolve();
  };
  const differing: TopLevelItem<K>[] = [];
  await eachOrAll(
    run,
    items,
    async (some) => {
      const { ids, created, changed, unchanged } = await planOf(run, target, kind, some);
      if (!run.isDry) await createTopLevel(target, kind, created);
      for (const [from, to] of ids) run.places.set(from, to);
      count(run, kind, { created, changed: run.isDry ? changed : [], unchanged });
      const ofHere = new Set<string>(changed.map(({ after }) => after.entity.id));
      if (!run.isDry) differing.push(...some.filter(({ data }) => ofHere.has(ids.get(data.id) ?? "")));
    },
    onFailed,
  );
  for (const item of differing)
    await eachOrAll(
      run,
      [item],
      (some) => restore(run, target, kind, some),
      (failed, error) => {
        if (kind !== "Tag" || error.code !== "already_exists") return onFailed(failed, error);
        run.taken.push(failed as unknown as TopLevelItem<"Tag">);
        return Promise.resolve();
      },
    );
}

async function planOf<K extends TopLevelKind>(run: Run, target: Target, kind: K, items: readonly TopLevelItem<K>[]) {
  const archived = items.map(({ data }) => data);
  const named =
    kind === "View"
      ? idsInViews(archived as readonly ArchivedForms["View"][])
      : kind === "Dependency"
        ? idsNamedBy(archived as readonly ArchivedForms["Dependency"][])
        : kind === "Link"
          ? idsInLinks(archived as readonly ArchivedForms["Link"][])
          : [];
  return planTopLevel(target, kind, archived, namingOf(run, await runnersThere(target, named)));
}

/** Restores entities that exist, all of them or none. */
async function restore<K extends TopLevelKind>(
  run: Run,
  target: Target,
  kind: K,
  items: readonly TopLevelItem<K>[],
): Promise<void> {
  const { changed, unchanged } = await planOf(run, target, kind, items);
  await replaceTopLevel(target, kind, changed);
  count(run, kind, { created: [], changed, unchanged });
}

/** Restores tags whose names others had when it was their turn; these may have been restored by now. */
async function settleTaken(run: Run, target: Target): Promise<void> {
  const taken = run.taken.splice(0);
  for (const together of taken.length === 0 ? [] : await renamedTogether(target, taken, run.places))
    await eachOrAll(
      run,
      [together],
      ([some]) => restore(run, target, "Tag", some),
      (some, error) => {
        for (const { line, data } of some)
          fail(run, { line, entity: "Tag", id: data.id, taken: null }, error, { Tag: 1 });
        return Promise.resolve();
      },
    );
}

async function settleHosts(run: Run, target: Target, groups: readonly HostGroup[]): Promise<void> {
  const onFailed = async (group: HostGroup, error: AppError): Promise<void> => {
    const { line, host, interfaces, ports, services } = group;
    const lost = { Host: 1, Interface: interfaces.length, Port: ports.length, Service: services.length };
    const taken = await takenBy(target, group, namingOf(run, new Set()), error).catch(() => null);
    fail(run, { line, entity: "Host", id: host.id, taken }, error, lost);
  };
  const differing: HostGroup[] = [];
  await eachOrAll(
    run,
    groups,
    async (some) => {
      const naming = await namingAt(run, target, some);
      const found = await presentHosts(
        target,
        some.map(({ host }) => host.id),
        naming,
      );
      const present = await withMovedChildren(target, some, found, naming);
      const now = new Date();
      const planned = some.map((group) => ({
        group,
        plan: planHost(group, present.get(group.host.id) ?? null, naming, now),
      }));
      if (!run.isDry)
        await createHosts(
          target,
          planned.flatMap(({ plan }) => (plan.hosts.created.length > 0 ? [plan] : [])),
        );
      for (const { group, plan } of planned) {
        for (const [id, local] of plan.ids) if (local !== id && local !== naming.derived(id)) run.places.set(id, local);
        const isToChange = present.has(group.host.id) && !isNothing(plan);
        if (isToChange && !run.isDry) differing.push(group);
        else countHost(run, plan);
      }
    },
    onFailed,
  );
  for (const group of differing)
    await eachOrAll(
      run,
      [group],
      async () => {
        countHost(run, await updateHost(target, group, await namingAt(run, target, [group])));
      },
      onFailed,
    );
}

/** @param groups hosts whose virtualization may reference other hosts or services */
async function namingAt(run: Run, target: Target, groups: readonly HostGroup[]): Promise<Naming> {
  return namingOf(run, await runnersThere(target, groups.flatMap(runnersIn)));
}

function idsInLinks(links: readonly ArchivedForms["Link"][]): string[] {
  return links.flatMap(({ ends }) =>
    ends.flatMap(({ host_id, interface_id }) => (interface_id === null ? [host_id] : [host_id, interface_id])),
  );
}

/** What exists of these ids. */
async function runnersThere(
  { storage: { hosts, interfaces, services, ports }, scope }: Target,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const named = { _id: { $in: [...new Set(ids)] } };
  const found = await Promise.all(
    [hosts, interfaces, services, ports].map((one) => one.select(scope, named, { projection: { _id: 1 } })),
  );
  return new Set(found.flat().map(({ _id }) => _id));
}

function namingOf({ places, checked, rights }: Run, there: ReadonlySet<string>): Naming {
  const derived = (id: string): string => derivedId(rights.organizationId, id);
  return {
    derived,
    newId,
    place: (id) => places.get(id) ?? derived(id),
    runner: (id) => places.get(id) ?? (there.has(id) || !checked.ids.has(id) ? id : derived(id)),
  };
}

/** Writes items together and, if that fails, individually; individual failures are reported and do not stop the others. */
async function eachOrAll<T>(
  run: Run,
  items: readonly T[],
  write: (some: readonly [T, ...T[]]) => Promise<void>,
  onFailed: (item: T, error: AppError) => Promise<void>,
): Promise<void> {
  const attempt = async (some: readonly [T, ...T[]]): Promise<AppError | null> => {
    if (run.faultsInARow >= MOST_FAULTS) return new AppError("unavailable");
    try {
      await write(some);
      run.faultsInARow = 0;
      return null;
    } catch (error) {
      const fault = faultOf(run, error);
      run.faultsInARow = fault.code === "unavailable" ? run.faultsInARow + 1 : 0;
      return fault;
    }
  };
  const [first, ...more] = items;
  if (first === undefined) return;
  const together = await attempt([first, ...more]);
  if (together === null) return;
  if (more.length === 0 && together.code !== "write_conflict") await onFailed(first, together);
  else
    for (const item of items) {
      const error = await attempt([item]);
      if (error !== null) await onFailed(item, error);
    }
}

/** Maps an error to one for the caller. @throws AppError `upstream_timeout` if the client has disconnected */
function faultOf({ log, work }: Run, error: unknown): AppError {
  if (work.isAbandoned()) throw new AppError("upstream_timeout");
  if (error instanceof AppError && error.code !== "internal_error") return error;
  // A concurrent import of the same archive wrote it first.
  if (isDuplicateKey(error)) return new AppError("write_conflict");
  const fault = asAppError(error);
  log.error({ err: fault.cause ?? error, code: fault.code }, "a part of an archive could not be imported");
  return fault;
}

interface Counted {
  readonly created: { readonly length: number };
  readonly changed: { readonly length: number };
  readonly unchanged: number;
}

function count({ summary }: Run, kind: KindName, { created, changed, unchanged }: Counted): void {
  const counts = summary[kind];
  counts.create += created.length;
  counts.update += changed.length;
  counts.unchanged += unchanged;
}

function countHost(run: Run, { hosts, interfaces, ports, services }: HostPlan): void {
  count(run, "Host", hosts);
  count(run, "Interface", interfaces);
  count(run, "Port", ports);
  count(run, "Service", services);
}

function fail(
  { summary, failed }: Run,
  place: Pick<ArchiveFailure, "line" | "entity" | "id" | "taken">,
  { code, message }: AppError,
  lost: Partial<Record<KindName, number>>,
): void {
  for (const kind of KIND_NAMES) summary[kind].failed += lost[kind] ?? 0;
  if (failed.length < MOST_FAILURES) failed.push({ ...place, code, message });
}

function emptySummary(): ArchiveSummary {
  const none = () => ({ create: 0, update: 0, unchanged: 0, failed: 0 });
  return Object.fromEntries(KIND_NAMES.map((kind) => [kind, none()])) as ArchiveSummary;
}

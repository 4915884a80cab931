import { createHash } from "node:crypto";
import type { UploadedBytes } from "@nts/shared/contract";
import { KIND_NAMES, type KindName, pluralOf } from "@nts/shared/contract/kinds";
import { ARCHIVE_MARK, ARCHIVE_VERSION } from "@nts/shared/contract/archives";
import { AppError } from "@nts/shared/errors";
import { faultsOf } from "@nts/shared/http/faults";
import { excessOf } from "@nts/shared/http/json-bounds";
import { readUnlessStored } from "@nts/shared/http/validate";
import { TOP_LEVEL } from "../kinds/index.js";
import { type CheckedLine, FirstLine, formOf, LastLine } from "./forms.js";
import { type Counts, NO_COUNTS } from "./lines.rules.js";
import { createFaults, type Faults, Stop } from "./line-faults.js";
import { createIdSet, type IdSet } from "./ids.js";
import { createReferences } from "./references.js";
import { linesIn } from "./split.js";

// First pass over an archive, during upload: validates every line before anything is written, and passes the parsed entities on.

/** Maximum bytes per line. */
export const ARCHIVE_LINE_LIMIT = 1_048_576;
/** Maximum entities per archive. */
export const MOST_ARCHIVED = 1_000_000;
/** Maximum entities of kinds that are not on hosts per archive; they are held in memory during validation. */
export const MOST_REFERRED_TO = 50_000;

export interface ArchiveLimits {
  readonly entities: number;
  readonly referredTo: number;
}
const LIMITS: ArchiveLimits = { entities: MOST_ARCHIVED, referredTo: MOST_REFERRED_TO };

/** The result of a successful check. */
export interface Checked {
  readonly heading: FirstLine;
  readonly counts: Counts;
  readonly ids: IdSet;
}

export interface Check {
  /** Validates a file and yields its entities as JSON lines. @throws AppError `archive_invalid` */
  lines(file: UploadedBytes): AsyncGenerator<Buffer>;
  /** Call only after all lines were read. */
  result(): Checked;
}

const TOP_LEVEL_TEXT = new Intl.ListFormat("en-GB").format(TOP_LEVEL.map(pluralOf));

type Members = Readonly<Record<string, unknown>>;

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** @param run schedules a slice of the work */
export function createCheck(run: <T>(slice: (isOver: () => boolean) => T) => Promise<T>, limits = LIMITS): Check {
  const faults = createFaults();
  const hash = createHash("sha256");
  const entities = createEntityCheck(faults, limits);
  let heading: FirstLine | null = null;
  let isEnded = false;

  function take(bytes: Uint8Array): CheckedLine | null {
    const line = faults.nextLine();
    if (isEnded) faults.stop("out_of_order", "appears after the last line");
    const value = parsed(bytes, faults);
    let checked: CheckedLine | null = null;
    if (line === 1) heading = headingIn(value, faults);
    else if (value?.["end"] !== undefined) {
      isEnded = true;
      checkEnd(value, { counts: entities.counts, sha256: hash.copy().digest("hex") }, faults);
    } else if (value !== null) checked = entities.take(value, line);
    hash.update(bytes).update("\n");
    return checked;
  }

  /** Processes lines until the slice is over. */
  function taken(lines: Iterator<Uint8Array>, isSliceOver: () => boolean): { text: string; isOver: boolean } {
    for (let text = ""; ;) {
      const next = lines.next();
      if (next.done === true) return { text, isOver: true };
      const checked = take(next.value);
      if (checked !== null) text += `${JSON.stringify(checked)}\n`;
      if (isSliceOver()) return { text, isOver: false };
    }
  }

  const tooLong = (): never => {
    faults.nextLine();
    return faults.stop("line_too_long", `must not be longer than ${ARCHIVE_LINE_LIMIT} bytes`);
  };

  async function* lines(file: UploadedBytes): AsyncGenerator<Buffer> {
    for await (const some of linesIn(file, ARCHIVE_LINE_LIMIT, tooLong)) {
      const lines = some.values();
      for (let isMore = true; isMore;) {
        const { text, isOver } = await run((isSliceOver) => taken(lines, isSliceOver));
        // After the first fault, the remaining lines are only validated.
        if (text !== "" && faults.isClean()) yield Buffer.from(text);
        isMore = !isOver;
      }
    }
    if (!isEnded && faults.isClean())
      faults.add("cut_off", "the file is truncated: the last line with counts and checksum is missing");
  }

  return {
    lines: async function* (file: UploadedBytes): AsyncGenerator<Buffer> {
      try {
        yield* lines(file);
      } catch (error) {
        if (!(error instanceof Stop)) throw error;
      }
      if (!faults.isClean()) throw new AppError("archive_invalid", faults.reported());
    },
    result: (): Checked => {
      if (heading === null) throw new Error("the archive was not read");
      return { heading, counts: entities.counts, ids: entities.ids };
    },
  };
}

/** Parses the object on a line; adds a fault and returns null if there is none. */
function parsed(bytes: Uint8Array, faults: Faults): Members | null {
  const excess = excessOf(bytes);
  if (excess !== null) {
    faults.add("validation_failed", excess);
    return null;
  }
  const value = jsonIn(bytes);
  if (value === undefined) faults.add("malformed_json", "is not valid JSON");
  else if (typeof value !== "object" || value === null || Array.isArray(value))
    faults.add("malformed_json", "must be a JSON object");
  else return value as Members;
  return null;
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch {
    return undefined;
  }
}

/** An invalid first line stops validation. */
function headingIn(value: Members | null, faults: Faults): FirstLine {
  if (value?.["archive"] !== ARCHIVE_MARK)
    return faults.stop("not_an_archive", `must have \`archive\` set to "${ARCHIVE_MARK}"`);
  if (value["version"] !== ARCHIVE_VERSION)
    return faults.stop(
      "unsupported_version",
      `must be version ${ARCHIVE_VERSION}; a newer server may support other versions`,
    );
  const result = FirstLine.safeParse(value);
  if (result.success) return result.data;
  for (const { path, message } of faultsOf(result.error)) faults.add("validation_failed", message, path);
  throw new Stop();
}

function checkEnd(value: Members, { counts, sha256 }: { counts: Counts; sha256: string }, faults: Faults): void {
  const result = LastLine.safeParse(value);
  if (!result.success) {
    for (const { path, message } of faultsOf(result.error)) faults.add("validation_failed", message, path);
    return;
  }
  // Rejected lines would only cause follow-up faults.
  if (!faults.isClean()) return;
  for (const kind of KIND_NAMES)
    if (result.data.counts[kind] !== counts[kind])
      faults.add("wrong_counts", `does not match the ${counts[kind]} preceding lines of this kind`, `counts.${kind}`);
  if (result.data.sha256 !== sha256)
    faults.add("wrong_checksum", "does not match the preceding lines: the file was modified", "sha256");
}

function createEntityCheck(faults: Faults, limits: ArchiveLimits) {
  const ids = createIdSet();
  const references = createReferences(ids);
  const counts: Record<KindName, number> = { ...NO_COUNTS };
  let total = 0;
  return {
    ids,
    counts,
    take: ({ entity, data }: Members, line: number): CheckedLine | null => {
      const kind = KIND_NAMES.find((one) => one === entity);
      if (kind === undefined) {
        faults.add("unknown_entity", `must be one of ${KIND_NAMES.join(", ")}`, "entity");
        return null;
      }
      counts[kind] += 1;
      total += 1;
      if (total > limits.entities) faults.stop("too_many", `an archive can have at most ${limits.entities} entities`);
      if (TOP_LEVEL.reduce((sum, name) => sum + counts[name], 0) > limits.referredTo)
        faults.stop("too_many", `an archive can have at most ${limits.referredTo} ${TOP_LEVEL_TEXT}`);
      // An archive restores what was stored.
      const read = readUnlessStored(formOf(kind), data);
      if (read.error !== null) {
        for (const { path, message } of faultsOf(read.error))
          faults.add("validation_failed", message, path === "" ? "data" : `data.${path}`);
        return null;
      }
      const checked = { line, entity: kind, data: read.data } as CheckedLine;
      if (!ids.add(checked.data.id)) faults.add("repeated_id", "is already used on an earlier line", "data.id");
      for (const { path, code, message } of references.take(checked)) faults.add(code, message, `data.${path}`);
      return checked;
    },
  };
}

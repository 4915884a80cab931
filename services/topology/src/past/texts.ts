import { putUnder } from "@nts/shared/groups";
import type { ListPart } from "@nts/shared/http/respond";
import { bytesOf, sliceOf, type TextSlice } from "@nts/shared/mongo/raw-fields";
import { requireNotAbandoned } from "@nts/shared/work";
import { currentFormer } from "../journal/entry-texts.js";
import { formerAt, formersAmong, formersAt } from "../journal/formers.js";
import type { Entity } from "../storage/entities.js";
import { BY_ID } from "../storage/indexes.js";
import { keyedTextIn, textFields } from "../storage/rows.js";
import { matching } from "../storage/scope.js";
import { type Kind, nextSize, unsighted } from "./entities.js";
import type { Row } from "./rows.js";
import type { View } from "./view.js";

// Reads the JSON of entities at a moment: from storage if unchanged since, otherwise from the journal, in batches of about 1 MiB.

const FIRST_READ = 50;

export const NOTHING = Buffer.alloc(0);
export const COMMA = Buffer.from(",");

/** A reference to the state of an entity at the moment. */
export type Ref = Omit<Row, "place">;

/** A piece of a JSON text: literal text, followed by an entity. */
export interface Piece {
  readonly before: Buffer;
  readonly ref?: Ref;
  /** More members follow, so the closing brace is omitted. */
  readonly isOpen?: true;
  /** Number of rows of a list that start with it. */
  readonly rows?: number;
}

/** A row of a list, or joined ones, with a comma before each. */
export function rowPiece({ rows, ...ref }: Ref): Piece {
  return { before: rows === undefined ? COMMA : NOTHING, ref, rows: rows ?? 1 };
}

/** Writes pieces as JSON, in chunks. */
export type Writer = (pieces: readonly Piece[]) => AsyncGenerator<ListPart, void, void>;

/** Creates a writer, which adapts its batch size to the size of the entities. */
export function createWriter(view: View): Writer {
  let size = FIRST_READ;
  return async function* (pieces) {
    for (let at = 0; at < pieces.length;) {
      requireNotAbandoned(view.work);
      const some = pieces.slice(at, at + size);
      const texts = await textsOf(view, some);
      const text = concatenated(some.flatMap(({ before }, n) => [before, texts[n] as Buffer]));
      yield { text, rows: some.reduce((sum, { rows = 0 }) => sum + rows, 0) };
      at += some.length;
      size = nextSize(some.length, text.length);
    }
  };
}

/** Without copying if only one is not empty. */
function concatenated(texts: readonly Buffer[]): Buffer {
  const [only = NOTHING, ...more] = texts.filter(({ length }) => length > 0);
  return more.length === 0 ? only : Buffer.concat([only, ...more]);
}

/** The texts of the entities of pieces. */
async function textsOf(view: View, pieces: readonly Piece[]): Promise<readonly Buffer[]> {
  const stored = new Map<Kind, Ref[]>();
  const recorded = new Map<number, Ref[]>();
  const texts = pieces.map(({ ref }) => {
    if (ref === undefined) return NOTHING;
    const text = textAtHand(view, ref);
    if (text !== null) return bytesOf(text);
    if (ref.n === null) putUnder(stored, ref.kind, ref);
    else putUnder(recorded, ref.n, ref);
    return undefined;
  });
  const read: Texts = new Map();
  const reads = [...stored].map(([kind, refs]) => readStored(view, kind, refs, read));
  await Promise.all(recorded.size === 0 ? reads : [...reads, readRecorded(view, recorded, read)]);
  return pieces.map(({ ref, isOpen }, n) => {
    const text = texts[n] ?? read.get(ref as Ref);
    if (text === undefined) throw new Error(`the text of a ${ref?.kind.name ?? "piece"} no longer exists`);
    return isOpen === true ? text.subarray(0, -1) : text;
  });
}

/** The text of an entity; null unless it has been read already. */
export function textAtHand({ formers }: View, { text, n, id }: Ref): TextSlice | null {
  if (text !== undefined) return sliceOf(typeof text === "string" ? Buffer.from(text) : text);
  const former = n === null ? undefined : formerAt(formers, n);
  return former?.entity_id === id ? currentFormer(former) : null;
}

type Texts = Map<Ref, Buffer>;

async function readStored({ stored, moment }: View, kind: Kind, refs: readonly Ref[], texts: Texts): Promise<void> {
  const refOf = new Map(refs.map((ref) => [ref.id, ref]));
  const filter = matching(kind.within(stored), { _id: { $in: [...refOf.keys()] } });
  const reader = unsighted(kind);
  const projection = { _id: 1, ...textFields(reader, stored), ...(kind.losesTags(stored) && { revision: 1 as const }) };
  for await (const batch of kind.read(stored, { filter, projection, hint: BY_ID }, moment))
    for (const start of batch.starts) {
      const { id, text } = keyedTextIn(reader, stored, batch, { start, key: "_id" });
      const ref = refOf.get(id);
      if (ref !== undefined) texts.set(ref, text);
    }
}

async function readRecorded(
  { database, rights, formers }: View,
  recorded: ReadonlyMap<number, Ref[]>,
  texts: Texts,
): Promise<void> {
  const { found, missing } = formersAmong(formers, recorded.keys());
  if (missing.length > 0) found.push(...(await formersAt(database, rights, missing)).entries.values());
  for (const entry of found) {
    const slice = currentFormer(entry);
    const former = slice === null ? Buffer.from("{}") : bytesOf(slice);
    const refs = recorded.get(entry.n) ?? [];
    const parts = refs[0]?.id === entry.entity_id ? [] : partsOf(former);
    for (const ref of refs) texts.set(ref, parts.find(({ id }) => id === ref.id)?.text ?? former);
  }
}

/** The bindings embedded in a service. */
function partsOf(service: Buffer): { id: string; text: Buffer }[] {
  const { bindings = [] } = JSON.parse(String(service)) as { readonly bindings?: readonly Entity[] };
  return bindings.map((one) => ({ id: one.id, text: Buffer.from(JSON.stringify(one)) }));
}

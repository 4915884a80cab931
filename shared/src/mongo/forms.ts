import type { AnyBulkWriteOperation, Collection, WithId } from "mongodb";
import { type BatchesById, batchesById } from "./migrations.js";

// During a rolling update, two builds write the same documents. `form` tells by which build's rules a document was last
// written. A build upgrades older forms on read, and keeps members of newer forms on write.

/** The stored form of one kind of document. New forms only add members, so that the previous build can read them. */
export interface Form<T> {
  /** The form that this build writes. Documents without `form` have form 1. */
  readonly version: number;
  /**
   * Upgrades a document of form `from`. Absent while there is no older form. Pure and idempotent: documents changed by
   * an older build may still have members of this form, which are kept.
   */
  readonly upgrade?: (stored: T, from: number) => T;
}

/** Upgrades the JSON of documents of older forms. @returns the same text if the document has the current form */
export type TextUpgrade = (wire: Buffer, version: number | undefined) => Buffer;

/** Creates the upgrade of texts to a form. */
export function textUpgradeOf<T>(form: Form<T>): TextUpgrade {
  const { upgrade, version: present } = form;
  if (upgrade === undefined) return (wire) => wire;
  return (wire, version = 1) =>
    version >= present ? wire : Buffer.from(JSON.stringify(upgrade(JSON.parse(wire.toString()) as T, version)));
}

/** The form of kinds unchanged since the first release. */
export const FIRST_FORM = { version: 1 } as const;

/** Reads a document in the current form. @param version the `form` of the document */
export function inPresentForm<T>(form: Form<T>, stored: T, version = 1): T {
  return form.upgrade === undefined || version >= form.version ? stored : form.upgrade(stored, version);
}

/** A validated value, with the stored members that this build does not know. */
export function withUnknown(checked: unknown, stored: unknown): unknown {
  if (Array.isArray(checked) && Array.isArray(stored) && checked.length === stored.length)
    return checked.map((value: unknown, index) => withUnknown(value, stored[index]));
  if (!isRecord(checked) || !isRecord(stored)) return checked;
  const kept = Object.entries(stored).map(([name, value]): [string, unknown] => [
    name,
    name in checked ? withUnknown(checked[name], value) : value,
  ]);
  return { ...checked, ...Object.fromEntries(kept) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Migrates documents of older forms. It may be interrupted and resumed, and runs alongside writers of any build, because
 * each write requires the document to be unmodified since it was read.
 *
 * @param fieldsOf the fields to set, in the current form
 * @param unchanged the condition for an unmodified document, such as its revision
 * @param batches those of the migration, which continue where they were interrupted
 */
export async function rewriteOlderForms<T extends { _id: string; form?: number }>(
  collection: Collection<T>,
  version: number,
  {
    fieldsOf,
    unchanged,
    batches = batchesById,
  }: {
    fieldsOf: (stored: WithId<T>) => object;
    unchanged: (stored: WithId<T>) => object;
    batches?: BatchesById;
  },
): Promise<void> {
  for await (const batch of batches(collection, { form: { $not: { $gte: version } } })) {
    const rewritten = batch.map((stored) => ({
      updateOne: {
        filter: { ...unchanged(stored), _id: stored._id },
        update: { $set: { ...fieldsOf(stored), form: version } },
      },
    }));
    await collection.bulkWrite(rewritten as unknown as AnyBulkWriteOperation<T>[], { ordered: false });
  }
}

import type { AnyBulkWriteOperation, Collection, WithId } from "mongodb";
import { batchesById } from "./migrations.js";

// During a rolling update two builds write the same documents. Each document says in `form` by which build's rules it was
// written last. A build upgrades what an older one wrote when it reads it, and keeps what a newer one added when it writes.

/**
 * The stored form of the documents of one kind. A new form only adds members: a build must be able to read what the next
 * one writes.
 */
export interface Form<T> {
  /** What this build writes. Documents without `form` are of form 1. */
  readonly version: number;
  /**
   * Brings what a build of form `from` wrote to this form. Absent while no older form has to be read. Pure, and
   * idempotent: what an older build changed may still carry members of this form, which are kept.
   */
  readonly upgrade?: (stored: T, from: number) => T;
}

/** The form of every kind that has not changed since its first release. */
export const FIRST_FORM = { version: 1 } as const;

/** A document as this build understands it. @param version the `form` of the document */
export function inPresentForm<T>(form: Form<T>, stored: T, version = 1): T {
  return form.upgrade === undefined || version >= form.version ? stored : form.upgrade(stored, version);
}

/** A value that this build has checked, with the members of the stored one that this build does not know. */
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
 * Rewrites the documents of older forms: the step of a migration. It may be cut off and begun again, and runs beside writers
 * of any build, because each write is conditional on the document being as it was read.
 *
 * @param fieldsOf what is to be set, in the present form
 * @param unchanged the condition under which a document still is what was read, such as its revision
 */
export async function rewriteOlderForms<T extends { _id: string; form?: number }>(
  collection: Collection<T>,
  version: number,
  { fieldsOf, unchanged }: { fieldsOf: (stored: WithId<T>) => object; unchanged: (stored: WithId<T>) => object },
): Promise<void> {
  for await (const batch of batchesById(collection, { form: { $not: { $gte: version } } })) {
    const rewritten = batch.map((stored) => ({
      updateOne: {
        filter: { ...unchanged(stored), _id: stored._id },
        update: { $set: { ...fieldsOf(stored), form: version } },
      },
    }));
    await collection.bulkWrite(rewritten as unknown as AnyBulkWriteOperation<T>[], { ordered: false });
  }
}

import { boundedCache } from "@nts/shared/bounded-cache";

/** A cached value that becomes invalid when one of its subjects changes. */
export interface WithSubjects {
  readonly subjects: readonly string[];
}

/** A bounded cache by credential hash that can also invalidate by subject. */
export interface SubjectCache<Entry extends WithSubjects> {
  get(hash: string): Entry | undefined;
  /** @param weight what it counts as, 1 by default */
  set(hash: string, entry: Entry, weight?: number): void;
  delete(hash: string): void;
  /** Removes every entry with one of the subjects. */
  dropSubjects(subjects: readonly string[]): void;
  clear(): void;
  size(): number;
}

/** Creates an empty cache. @param maxWeight beyond it, the least recently used entries are evicted @param ttl in milliseconds */
export function createSubjectCache<Entry extends WithSubjects>(maxWeight: number, ttl: number): SubjectCache<Entry> {
  const hashesOf = new Map<string, Set<string>>();
  const entries = boundedCache<Entry>(maxWeight, {
    ttl,
    dispose: (entry, hash) => {
      for (const subject of entry.subjects) removeFrom(subject, hash);
    },
  });

  function removeFrom(subject: string, hash: string): void {
    const hashes = hashesOf.get(subject);
    if (hashes?.delete(hash) === true && hashes.size === 0) hashesOf.delete(subject);
  }

  return {
    get: (hash) => entries.get(hash),
    set: (hash, entry, weight = 1) => {
      entries.set(hash, entry, { size: weight });
      for (const subject of entry.subjects) {
        const hashes = hashesOf.get(subject);
        if (hashes === undefined) hashesOf.set(subject, new Set([hash]));
        else hashes.add(hash);
      }
    },
    delete: (hash) => {
      entries.delete(hash);
    },
    dropSubjects: (subjects) => {
      for (const subject of subjects) for (const hash of [...(hashesOf.get(subject) ?? [])]) entries.delete(hash);
    },
    clear: () => {
      entries.clear();
    },
    size: () => entries.size,
  };
}

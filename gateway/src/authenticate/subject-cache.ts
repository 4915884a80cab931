import { LRUCache } from "lru-cache";

/** Something remembered that is void once one of its subjects changes. */
export interface WithSubjects {
  readonly subjects: readonly string[];
}

/** A bounded memory by credential hash that can also forget by subject. */
export interface SubjectCache<Entry extends WithSubjects> {
  get(hash: string): Entry | undefined;
  set(hash: string, entry: Entry): void;
  delete(hash: string): void;
  /** Forgets every entry that has one of the subjects. */
  dropSubjects(subjects: readonly string[]): void;
  clear(): void;
  size(): number;
}

/** An empty memory. @param max entries; the one unused for longest makes room */
export function createSubjectCache<Entry extends WithSubjects>(max: number): SubjectCache<Entry> {
  const hashesOf = new Map<string, Set<string>>();
  const entries = new LRUCache<string, Entry>({
    max,
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
    set: (hash, entry) => {
      entries.set(hash, entry);
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

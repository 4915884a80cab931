/** Common members of mutable documents. */
export interface Revised {
  readonly revision: number;
  readonly updated_at: Date;
}

/** The next revision; `updated_at` never decreases. */
export function nextRevision({ revision, updated_at }: Revised, now: Date): Revised {
  return { revision: revision + 1, updated_at: now > updated_at ? now : updated_at };
}

/** The members of `requested` that differ from the current ones; undefined members are unchanged. */
export function changesTo<T extends object>(
  current: T,
  requested: { [Name in keyof T]?: T[Name] | undefined },
): Partial<T> {
  const entries = Object.entries(requested).filter(
    ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(current[name as keyof T]),
  );
  return Object.fromEntries(entries) as Partial<T>;
}

/** What every changeable document has. */
export interface Revised {
  readonly revision: number;
  readonly updated_at: Date;
}

/** The revision after the present one; `updated_at` never goes back. */
export function nextRevision({ revision, updated_at }: Revised, now: Date): Revised {
  return { revision: revision + 1, updated_at: now > updated_at ? now : updated_at };
}

/** The members of `wanted` that differ from what is there; undefined ones ask for nothing. */
export function changesTo<T extends object>(
  current: T,
  wanted: { [Name in keyof T]?: T[Name] | undefined },
): Partial<T> {
  const entries = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(current[name as keyof T]),
  );
  return Object.fromEntries(entries) as Partial<T>;
}

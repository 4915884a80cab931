const names = new Intl.Collator("en", { numeric: true });

/** Compares numbers inside of names and addresses by value: `host 2` comes before `host 10`. */
export function compareNames(a: string, b: string): number {
  return names.compare(a, b);
}

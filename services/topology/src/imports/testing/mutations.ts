/** Damages files as transfers, editors and attackers do. */

const NASTY = [
  "\0",
  "\uFEFF",
  "\u2028",
  '"',
  "\\",
  "\n",
  "\r\n",
  ",",
  ":",
  "%",
  "[",
  "]",
  "{",
  "}",
  "<",
  ">",
  "&",
  "null",
  "-1",
  "1e999",
  "999999999999",
  "0.0.0.0",
  "::",
  "ff:ff:ff:ff:ff:ff",
  "__proto__",
  "constructor",
  "\u{1F600}",
  "\ud800",
];
const VALUES: readonly unknown[] = [null, 7, -1, "", "x", true, [], {}, [null], [[]], { a: null }];
const MOST_STEPS = 6;

/** A file with some damage. @param chance numbers from 0 on */
export function mutated(bytes: Uint8Array, chance: () => number): Uint8Array {
  const values = chance() % 2 === 0 ? valuesIn(bytes) : null;
  if (values !== null) return Buffer.from(JSON.stringify(otherwise(values, chance)));
  let damaged = Buffer.from(bytes);
  const steps = 1 + (chance() % MOST_STEPS);
  for (let step = 0; step < steps; step++) damaged = once(damaged, chance);
  return damaged;
}

/** The value of a file in JSON; null of any other. */
function valuesIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString()) as unknown;
  } catch {
    return null;
  }
}

/** Values with another one somewhere among them. */
function otherwise(value: unknown, chance: () => number): unknown {
  const isDeeper = typeof value === "object" && value !== null && chance() % 8 !== 0;
  if (!isDeeper) return VALUES[chance() % VALUES.length];
  const members = Object.entries(value as Readonly<Record<string, unknown>>);
  const changed = members[chance() % Math.max(members.length, 1)]?.[0];
  const next = members.map(([name, one]) => [name, name === changed ? otherwise(one, chance) : one] as const);
  return Array.isArray(value) ? next.map(([, one]) => one) : Object.fromEntries(next);
}

function once(bytes: Buffer<ArrayBuffer>, chance: () => number): Buffer<ArrayBuffer> {
  const at = chance() % (bytes.length + 1);
  const end = Math.min(bytes.length, at + (chance() % 60));
  const before = bytes.subarray(0, at);
  const cut = bytes.subarray(at, end);
  const after = bytes.subarray(end);
  switch (chance() % 6) {
    case 0:
      return Buffer.concat([before, after]);
    case 1:
      return Buffer.concat([before, cut, cut, after]);
    case 2:
      return Buffer.concat([before]);
    case 3:
      return Buffer.concat([before, Buffer.from(NASTY[chance() % NASTY.length] ?? ""), cut, after]);
    case 4:
      return Buffer.concat([before, Buffer.from([chance() % 256]), after]);
    default:
      return Buffer.concat([after, before, cut]);
  }
}

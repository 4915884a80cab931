// What a machine is known by besides its network cards: its serial number, the DUID of its DHCP client (RFC 8415), and the id
// of its installation. They are compared by their keys; what many machines have has none.

/** From the strongest evidence to the weakest. @see docs/imports.md "Why it is that host" */
export const MARK_KINDS = ["serial", "duid", "machine_id"] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

export interface Mark {
  readonly kind: MarkKind;
  /** As it is written. */
  readonly value: string;
  readonly key: string;
}

/** What is said of a machine. */
export interface SaidOfMachine {
  readonly serial?: string | null;
  readonly duid?: string | null;
  readonly machine_id?: string | null;
  readonly model?: string | null;
}

const NO_MARKS: readonly Mark[] = [];
const SHORTEST_SERIAL = 5;
const LONGEST = 300;
/** What counts up is a default, with or without letters in front, such as `SSN1234567890123`. */
const COUNTED = ["0123456789".repeat(4), "1234567890".repeat(4), "0123456789ABCDEF".repeat(2), "9876543210"];
const SHORTEST_COUNTED = 5;
const UNFILLED = "FILLEDBYOEM";
/** Ids of firmware and images that nobody has set. */
const COMMON_IDS: ReadonlySet<string> = new Set([
  "03000200040005000006000700080009",
  "00020003000400050006000700080009",
  "123456781234123412345678901234ab",
  "123456781234567890abcddeefaabbcc",
]);
/** Different digits of an id at least; random ones have about fourteen. */
const FEWEST_DIGITS = 5;

/** The marks of a machine that tell it from others. */
export function marksOf({ serial, duid, machine_id: id, model }: SaidOfMachine): readonly Mark[] {
  const written = [
    ["serial", serial ?? null],
    ["duid", duid ?? null],
    ["machine_id", id ?? null],
  ] as const;
  if (written.every(([, value]) => value === null)) return NO_MARKS;
  return written.flatMap(([kind, value]) => {
    const key = value === null ? null : KEYS[kind](value.slice(0, LONGEST));
    const isModel = kind === "serial" && key !== null && key === bareText(model ?? "");
    return value === null || key === null || isModel ? [] : [{ kind, value, key: `${kind}:${key}` }];
  });
}

const KEYS: Readonly<Record<MarkKind, (written: string) => string | null>> = {
  serial: serialKey,
  duid: duidKey,
  machine_id: machineIdKey,
};

/** A serial number without case, blanks and punctuation; null for texts that many machines have. */
function serialKey(written: string): string | null {
  const bare = bareText(written);
  const isTelling =
    bare.length >= SHORTEST_SERIAL &&
    /\d/.test(bare) &&
    !bare.includes(UNFILLED) &&
    new Set(bare).size > 2 &&
    !isCounted(bare);
  return isTelling ? bare : null;
}

function isCounted(bare: string): boolean {
  const digits = bare.replace(/^[A-Z]{1,12}(?=\d)/, "");
  return digits.length >= SHORTEST_COUNTED && COUNTED.some((counted) => counted.startsWith(digits));
}

function bareText(written: string): string {
  return written.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** A DUID in hexadecimal, with a type and something behind it. */
function duidKey(written: string): string | null {
  const digits = hexadecimal(written);
  return /^000[1-4](?:[\da-f]{2}){6,128}$/.test(digits) && new Set(digits.slice(4)).size > 2 ? digits : null;
}

/** The id of systemd or D-Bus, or a UUID. */
function machineIdKey(written: string): string | null {
  const digits = hexadecimal(written);
  const isTelling = /^[\da-f]{32}$/.test(digits) && new Set(digits).size >= FEWEST_DIGITS && !COMMON_IDS.has(digits);
  return isTelling ? digits : null;
}

function hexadecimal(written: string): string {
  return written
    .trim()
    .toLowerCase()
    .replaceAll(/^0x|[\s:{}-]/g, "");
}

import { createHash, randomInt } from "node:crypto";

// Ids of imported entities are derived from the organization and the id in the archive, so that importing again finds them, and
// an archive cannot claim the id of another organization's entity.

/** Derives the id (UUID v8) of an imported entity; it keeps the sort order of the id in the archive. */
export function derivedId(organizationId: string, id: string): string {
  const hash = createHash("sha256").update(`${organizationId} ${id}`).digest("hex");
  const variant = ((parseInt(hash[3] ?? "0", 16) & 3) | 8).toString(16);
  return `${id.slice(0, 14)}8${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

const FIRST_SLOTS = 1_024;

/** A set of ids with 16 bytes per slot: it stores the last 16 hexadecimal digits, which are random in generated ids. */
export interface IdSet {
  /** @returns false if the set already had it */
  add(id: string): boolean;
  has(id: string): boolean;
}

export function createIdSet(): IdSet {
  // Random multipliers, so that a client cannot choose ids that collide.
  const one = randomInt(2 ** 31) * 2 + 1;
  const other = randomInt(2 ** 31) * 2 + 1;
  let slots = new Uint32Array(2 * FIRST_SLOTS);
  let bits = Math.log2(FIRST_SLOTS);
  let count = 0;

  /** The slot of the two halves, or the empty slot to store them in. */
  function placeOf(high: number, low: number): number {
    let slot = ((Math.imul(high, one) + Math.imul(low, other)) >>> (32 - bits)) * 2;
    while (slots[slot + 1] !== 0 && (slots[slot] !== high || slots[slot + 1] !== low)) slot = (slot + 2) % slots.length;
    return slot;
  }

  function grow(): void {
    const old = slots;
    slots = new Uint32Array(2 * old.length);
    bits += 1;
    for (let slot = 0; slot < old.length; slot += 2) {
      const high = old[slot] ?? 0;
      const low = old[slot + 1] ?? 0;
      if (low !== 0) slots.set([high, low], placeOf(high, low));
    }
  }

  return {
    add: (id) => {
      const [high, low] = halvesOf(id);
      const place = placeOf(high, low);
      if (slots[place + 1] !== 0) return false;
      slots.set([high, low], place);
      count += 1;
      if (count > slots.length / 4) grow();
      return true;
    },
    has: (id) => slots[placeOf(...halvesOf(id)) + 1] !== 0,
  };
}

/** The second half is never 0, which marks an empty slot. */
function halvesOf(id: string): [number, number] {
  return [parseInt(id.slice(19, 23) + id.slice(24, 28), 16), parseInt(id.slice(28), 16) || 1];
}

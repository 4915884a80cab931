/** Damages files as transfers, editors and attackers do. */

const NASTY = ["\0", "\uFEFF", "\u2028", '"', "\\", "\n", "\r\n", ",", ":", "%", "[", "]", "{", "}", "<", ">", "&", "null", "-1", "1e999", "999999999999", "0.0.0.0", "::", "ff:ff:ff:ff:ff:ff", "__proto__", "constructor", "\u{1F600}", "\ud800"]; // prettier-ignore
const MOST_STEPS = 6;

/** A file with some damage. @param chance numbers from 0 on */
export function mutated(bytes: Uint8Array, chance: () => number): Uint8Array {
  let damaged = Buffer.from(bytes);
  const steps = 1 + (chance() % MOST_STEPS);
  for (let step = 0; step < steps; step++) damaged = once(damaged, chance);
  return damaged;
}

function once(bytes: Buffer<ArrayBuffer>, chance: () => number): Buffer<ArrayBuffer> {
  const at = chance() % (bytes.length + 1);
  const end = Math.min(bytes.length, at + (chance() % 60));
  const [before, cut, after] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
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

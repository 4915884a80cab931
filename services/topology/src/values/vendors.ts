import { brotliDecompressSync } from "node:zlib";
import { ASSIGNMENTS } from "./vendors.generated.js";

// To whom the IEEE has assigned MAC addresses. The table is decompressed at the first look-up, and is searched as it is: as objects it
// would take twenty times as much memory.

/** Hexadecimal digits of assigned blocks, the smallest block first. */
const LENGTHS = [9, 7, 6];
const NEW_LINE = 0x0a;

let table: Buffer | null = null;

/** To whom a MAC address is assigned; null for a locally administered one, and where the IEEE names nobody. @param mac in canonical form */
export function vendorOf(mac: string): string | null {
  if ((parseInt(mac.slice(0, 2), 16) & 3) !== 0) return null;
  const digits = mac.replaceAll(":", "").toLowerCase();
  table ??= brotliDecompressSync(Buffer.from(ASSIGNMENTS, "base64"));
  for (const length of LENGTHS) {
    const name = nameIn(table, `${digits.slice(0, length)} `);
    if (name !== null) return name;
  }
  return null;
}

/** The rest of the line that begins with a key; null if there is none. */
function nameIn(lines: Buffer, key: string): string | null {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = middle === 0 ? 0 : lines.lastIndexOf(NEW_LINE, middle - 1) + 1;
    const end = lines.indexOf(NEW_LINE, start);
    const found = lines.toString("latin1", start, start + key.length);
    if (found === key) return lines.toString("utf8", start + key.length, end);
    if (found < key) low = end + 1;
    else high = start;
  }
  return null;
}

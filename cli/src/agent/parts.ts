import { gzipSync } from "node:zlib";

// A report as what is posted. Each part is one that the server can read by itself; the last one says what was covered.

/** From which a part is full, and more than which the server does not take in one, uncompressed. */
const MOST_BYTES = 8 * 1_048_576;
const MOST_OF_PART = 19 * 1_048_576;
/** Of a whole report, which the server takes 40 MiB of. */
const MOST_OF_REPORT = 38 * 1_048_576;

interface Line {
  readonly text: string;
  /** The name of the file of which it is a part. */
  readonly file: string | null;
}

/** The parts of a report, and what had to be left out of it because it is too large, as a sentence. */
export interface Parts {
  readonly bodies: readonly Uint8Array[];
  readonly leftOut: string | null;
}

/** @param lines of which the first one begins the report, and the last one ends it */
export function partsOf(lines: readonly object[]): Parts {
  const [first, ...rest] = lines.map(lineOf);
  const end = rest.pop();
  if (first === undefined || end === undefined) return { bodies: [], leftOut: null };
  const ending = lineOf({ end: { covered: [], excluded: [] } }).text;
  const bodies: string[][] = [[first.text]];
  let size = first.text.length;
  let whole = 0;
  let leftOut = 0;
  for (const group of groupsIn(rest)) {
    const length = group.reduce((sum, { text }) => sum + text.length, 0);
    if (whole + length > MOST_OF_REPORT || length > MOST_OF_PART) {
      leftOut++;
      continue;
    }
    if (size + length > MOST_BYTES && (bodies.at(-1)?.length ?? 0) > 1) {
      bodies.at(-1)?.push(ending);
      bodies.push([first.text]);
      size = first.text.length;
    }
    bodies.at(-1)?.push(...group.map(({ text }) => text));
    size += length;
    whole += length;
  }
  // What is left out was there.
  bodies.at(-1)?.push(leftOut === 0 ? end.text : ending);
  return {
    bodies: bodies.map((texts) => gzipSync(texts.join(""))),
    leftOut:
      leftOut === 0
        ? null
        : `The report is too large: ${leftOut} of its entries are left out, and nothing counts as not found. Look at fewer addresses at a time.`,
  };
}

function lineOf(value: object): Line {
  const { file } = value as { readonly file?: { readonly name: string } };
  // Characters are counted as bytes.
  const text = JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return { text: `${text}\n`, file: file?.name ?? null };
}

/** Lines of one file are not separated. */
function groupsIn(lines: readonly Line[]): Line[][] {
  const groups: Line[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last !== undefined && line.file !== null && last[0]?.file === line.file) last.push(line);
    else groups.push([line]);
  }
  return groups;
}

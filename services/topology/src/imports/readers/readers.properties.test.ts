import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { MOST_ADDRESSES, MOST_OPEN_PORTS, MOST_SIGHTINGS } from "../scan.rules.js";
import { type CorpusFile, corpusOf } from "../testing/corpus.js";
import { mutated } from "../testing/mutations.js";
import { createMemoryNetwork } from "../testing/network.js";
import { importedFrom, read, refusalOf } from "../testing/reading.js";
import { readFile, READERS } from "./readers.js";

const CORPORA = READERS.map((reader) => [reader.format, reader, corpusOf(reader.format)] as const);
const FILES = CORPORA.flatMap(([format, , files]) =>
  files.map((file) => [`${format}/${file.name}`, format, file] as const),
);
const HOSTNAME = "box";
/** Numbers of damaged files per reader, and of divided files. */
const RUNS = Number(process.env["READER_RUNS"] ?? 3);
/** The long tier reads longer files, and compares all pairs of files. */
const IS_LONG = RUNS > 100;
/** A megabyte takes tens of milliseconds in linear time, and minutes in quadratic time; a twentieth of it, seconds. */
const LENGTH = IS_LONG ? 1_000_000 : 50_000;
const MOST_MICROSECONDS = IS_LONG ? 3_000_000 : 400_000;
/** A reader is too slow only if it is so every time: collections of garbage and other load cost no file more than once. */
const ATTEMPTS = 4;
/** Of this many pairs, one is compared: each file with one or two others. */
const PAIRS = IS_LONG ? 1 : 101;
const bytesOf = (file: CorpusFile): Uint8Array[] => [new Uint8Array(file.bytes)];

describe("each reader", () => {
  it.each(CORPORA)("has sample files: %s", (format, _reader, files) => {
    expect(files.length).toBeGreaterThanOrEqual(format === "nmap" ? 6 : 8);
  });

  it.each(FILES)("recognizes its own files: %s", (_name, format, file) => {
    expect(readFile(bytesOf(file), { format: "auto", nowMs: 0 }).format).toBe(format);
  });

  it.each(CORPORA)("accepts a damaged file, or rejects it with the place: %s", (_format, reader, files) => {
    fc.assert(
      fc.property(fc.constantFrom(...files), fc.infiniteStream(fc.nat()), ({ bytes }, chance) => {
        const damaged = mutated(bytes, () => Number(chance.next().value));
        const refusal = refusalOf(reader, damaged);
        if (refusal !== null) expect(refusal).toMatch(/^(?:line \d+, column \d+|\$\S*): \S/);
        else {
          const { hosts } = read(reader, damaged);
          expect(hosts.length).toBeLessThanOrEqual(MOST_SIGHTINGS);
          expect(hosts.reduce((sum, { addresses }) => sum + addresses.length, 0)).toBeLessThanOrEqual(MOST_ADDRESSES);
          expect(hosts.reduce((sum, { ports }) => sum + ports.length, 0)).toBeLessThanOrEqual(MOST_OPEN_PORTS);
        }
      }),
      { numRuns: RUNS },
    );
  });

  const SHAPES = [
    " ",
    "\n",
    "[",
    "{",
    "(",
    '("',
    '"',
    '[{"',
    "a:",
    ":",
    "tcp ",
    "%",
    ",",
    "lease ",
    "\\",
    "1.2.3.4 ",
    "<a ",
    "/*",
  ];
  it.each(CORPORA)("takes time linear in the length of the file: %s", (_format, reader, files) => {
    const repeated = SHAPES.map((shape) => shape.repeat(Math.ceil(LENGTH / shape.length)));
    const hostile = [...repeated, `${"-".repeat(LENGTH)}x`];
    const some = IS_LONG ? files : files.slice(0, 1);
    const often = some.map(({ bytes }) =>
      Buffer.from(bytes)
        .toString()
        .repeat(Math.ceil(LENGTH / 3 / bytes.length)),
    );
    const beginnings = some.flatMap(({ bytes }) =>
      SHAPES.map((shape) => Buffer.from(bytes).toString().slice(0, 200) + shape.repeat(LENGTH / 10)),
    );
    for (const file of [...hostile, ...often, ...beginnings]) {
      const isQuick = Array.from({ length: ATTEMPTS }).some(() => {
        const before = process.cpuUsage();
        refusalOf(reader, file);
        return process.cpuUsage(before).user < MOST_MICROSECONDS;
      });
      expect([file.slice(0, 40), isQuick]).toEqual([file.slice(0, 40), true]);
    }
  });
});

describe("the recognition of a file", () => {
  it.each([
    ["a comment with blanks below it", `#\n${" ".repeat(40)}x`],
    ["a prompt without an end", "#".repeat(16_000)],
    ["an account without an end", `100.64.0.1 nas ${"@".repeat(16_000)}`],
  ])("takes time linear in the length of its beginning: %s", (_what, text) => {
    const isQuick = Array.from({ length: ATTEMPTS }).some(() => {
      const before = process.cpuUsage();
      expect(() => readFile([Buffer.from(text)], { format: "auto", nowMs: 0 })).toThrow();
      return process.cpuUsage(before).user < MOST_MICROSECONDS / 4;
    });
    expect(isQuick).toBe(true);
  });
});

describe("imports", () => {
  it.each(FILES)("of the same file twice change nothing: %s", (_name, _format, file) => {
    const network = createMemoryNetwork();
    network.importFile(file.bytes, false, { hostname: HOSTNAME });
    const again = network.importFile(file.bytes, true, { hostname: HOSTNAME });
    expect(again.map(({ action }) => action)).toEqual(again.map(() => "unchanged"));
  });

  it("of files about different machines give the same result in either order", () => {
    const identities = new Map(FILES.map(([name, , file]) => [name, identitiesOf(file)]));
    let pairs = 0;
    for (const [one, , a] of FILES)
      for (const [other, , b] of FILES) {
        if (++pairs % PAIRS !== 0) continue;
        if (one >= other || haveOneInCommon(identities.get(one)!, identities.get(other)!)) continue;
        expect([one, other, together([a, "one"], [b, "two"])]).toEqual([one, other, together([b, "two"], [a, "one"])]);
      }
  });

  it("of different ports of one machine give the same result in either order", () => {
    const files = corpusOf("ss");
    fc.assert(
      fc.property(
        fc.constantFrom(...files),
        fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
        (file, parts) => {
          const lines = Buffer.from(file.bytes)
            .toString()
            .split("\n")
            .filter((line) => !/^\S*\s*State|no socket/.test(line));
          const portOf = (line: string): number => Number(/:(\d+)\s/.exec(line)?.[1] ?? 0);
          const partOf = (isFirst: boolean): CorpusFile => {
            const own = lines.filter((line) => parts[portOf(line) % parts.length] === isFirst);
            return { name: "part", bytes: Buffer.from(own.join("\n")) };
          };
          const a = partOf(true);
          const b = partOf(false);
          if (a.bytes.length === 0 || b.bytes.length === 0) return;
          expect(together([a, HOSTNAME], [b, HOSTNAME])).toEqual(together([b, HOSTNAME], [a, HOSTNAME]));
        },
      ),
      { numRuns: RUNS },
    );
  });
});

/** The contents of a network after imports, sorted. */
function together(...files: readonly (readonly [CorpusFile, string])[]): string[] {
  return importedFrom(files.map(([{ bytes }, hostname]) => [bytes, hostname])).sort();
}

/** The identifiers by which machines of a file are matched. */
interface Identities {
  readonly addresses: ReadonlySet<string>;
  readonly names: ReadonlySet<string | null>;
  /** Names of neighbours of switches that have no addresses. */
  readonly alone: ReadonlySet<string | null>;
}

function identitiesOf(file: CorpusFile): Identities {
  const { hosts } = readFile(bytesOf(file), { format: "auto", nowMs: 0 }).scan;
  const bare = hosts.filter(({ addresses, hostname }) => addresses.length === 0 && hostname !== null);
  return {
    addresses: new Set(hosts.flatMap(({ addresses }) => addresses.flatMap(({ ip, mac }) => [ip, mac ?? ip]))),
    names: new Set(hosts.map(({ hostname }) => hostname)),
    alone: new Set(bare.map(({ hostname }) => hostname)),
  };
}

function haveOneInCommon(a: Identities, b: Identities): boolean {
  const isShared = <T>(some: ReadonlySet<T>, others: ReadonlySet<T>): boolean =>
    [...some].some((one) => others.has(one));
  return isShared(a.addresses, b.addresses) || isShared(a.alone, b.names) || isShared(b.alone, a.names);
}

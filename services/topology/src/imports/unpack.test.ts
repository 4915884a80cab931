import { describe, expect, it } from "@jest/globals";
import { gzipSync } from "node:zlib";
import type { AppError } from "@nts/shared/errors";
import { RESPONSE_LIMITS } from "./scan.rules.js";
import { textBytesOf, unpackedOneByOne, unpackInPlace } from "./unpack.js";

const TEXT = Buffer.from("10.0.0.1 gateway\n".repeat(40_000));
const MOST = 10_000_000;

async function unpackedFrom(blocks: Uint8Array[], bytes = MOST): Promise<Buffer> {
  await unpackInPlace(blocks, { ...RESPONSE_LIMITS, bytes });
  return Buffer.concat(blocks);
}

async function refusalOf(blocks: Uint8Array[], bytes = MOST): Promise<string> {
  const refusal = await unpackedFrom(blocks, bytes).catch((error: unknown) => error as AppError);
  const [fault] = (refusal as AppError).params["errors"] as { path: string; message: string }[];
  return `${fault?.path ?? ""}: ${fault?.message ?? ""}`;
}

describe("a compressed file", () => {
  const packed = gzipSync(TEXT);
  const files: [string, Uint8Array[]][] = [
    ["that is whole", [packed]],
    [
      "that is cut anywhere",
      [packed.subarray(0, 2), packed.subarray(2, 30), packed.subarray(30, -3), packed.subarray(-3)],
    ],
    ["of two members", [gzipSync(TEXT.subarray(0, 40)), gzipSync(TEXT.subarray(40))]],
    ["of a large member and a small one", [gzipSync(TEXT.subarray(0, -1)), gzipSync(TEXT.subarray(-1))]],
  ];

  it.each(files)("%s is unpacked, and its size is known before", async (_what, blocks) => {
    expect(await textBytesOf(blocks, MOST)).toBe(TEXT.length);
    expect((await unpackedFrom([...blocks])).equals(TEXT)).toBe(true);
  });

  it("is refused if it is damaged, incomplete or larger than its limit", async () => {
    expect(await refusalOf([packed.subarray(0, 40)])).toMatch(/^line 1, .*: is compressed by gzip, and damaged/);
    expect(await textBytesOf([packed.subarray(0, 40)], MOST)).toBeLessThan(TEXT.length);
    const bomb = gzipSync(Buffer.alloc(20 * 1_048_576));
    expect(await refusalOf([bomb], 1_048_576)).toMatch(/larger than 1 MiB: import it as a job, or in parts/);
    expect(await textBytesOf([bomb], 1_048_576)).toBeLessThan(2 * 1_048_576);
  });
});

describe("a text whose blocks are compressed by themselves", () => {
  it("is unpacked block by block, each of which is let go, and may have blocks that are not compressed", () => {
    const blocks: Uint8Array[] = [gzipSync(TEXT.subarray(0, 40)), TEXT.subarray(40, 45), gzipSync(TEXT.subarray(45))];
    const pieces = unpackedOneByOne(blocks);
    expect([Buffer.from(pieces.next().value ?? []), blocks.length]).toEqual([TEXT.subarray(0, 40), 2]);
    expect(Buffer.concat([...pieces]).equals(TEXT.subarray(40))).toBe(true);
    expect(blocks).toEqual([]);
  });
});

describe("a file that is not compressed", () => {
  it("is left as it is", async () => {
    const blocks = [TEXT.subarray(0, 5), TEXT.subarray(5)];
    expect(await textBytesOf(blocks, MOST)).toBe(TEXT.length);
    expect((await unpackedFrom(blocks)).equals(TEXT)).toBe(true);
  });
});

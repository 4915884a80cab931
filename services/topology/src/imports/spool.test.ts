import { describe, expect, it } from "@jest/globals";
import { PassThrough } from "node:stream";
import { gzipSync } from "node:zlib";
import { createSpool } from "./spool.js";

const refused = (code: string): unknown => expect.objectContaining({ code, params: { retry_after_seconds: 5 } });

/** A file whose pieces are sent by the test. */
function aFile() {
  const stream = new PassThrough({ objectMode: true });
  return {
    file: stream as AsyncIterable<Uint8Array>,
    send: (piece: Uint8Array): void => void stream.write(piece),
    end: (): void => void stream.end(),
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const bytes = (length: number): Uint8Array => new Uint8Array(length).map((_value, index) => index % 251);

describe("spooled files", () => {
  it("are stored unchanged in separate memory, however they are split", async () => {
    const spool = createSpool({ totalBytes: 10_000_000, organizationBytes: 10_000_000 });
    const whole = bytes(600_000);
    const { file, send, end } = aFile();
    for (const [from, to] of [
      [0, 1],
      [1, 262_144],
      [262_144, 262_145],
      [262_145, 600_000],
    ])
      send(whole.slice(from, to));
    end();
    const { blocks, release } = await spool.receive("a", file);
    expect(Buffer.concat(blocks).equals(Buffer.from(whole))).toBe(true);
    expect(spool.bytes()).toBe(600_000);
    release();
    release();
    expect(spool.bytes()).toBe(0);
  });

  it("stay compressed, and count as they were sent", async () => {
    const spool = createSpool({ totalBytes: 100_000, organizationBytes: 100_000 });
    const packed = gzipSync(Buffer.alloc(1_000_000));
    const { file, send, end } = aFile();
    send(packed);
    end();
    const { blocks } = await spool.receive("a", file);
    expect([Buffer.concat(blocks).equals(packed), spool.bytes()]).toEqual([true, packed.length]);
  });

  it("of one organization are limited to its share, and the one that exceeds it is rejected", async () => {
    const spool = createSpool({ totalBytes: 100, organizationBytes: 40 });
    const first = aFile();
    const second = aFile();
    const kept = spool.receive("a", first.file);
    const refusal = spool.receive("a", second.file).catch((error: unknown) => error);
    first.send(bytes(30));
    await settle();
    second.send(bytes(20));
    expect(await refusal).toEqual(refused("rate_limited"));
    first.end();
    expect((await kept).blocks.length).toBe(1);
  });

  it("of the largest holders are dropped when there is no room for others", async () => {
    const spool = createSpool({ totalBytes: 100, organizationBytes: 80 });
    const largest = aFile();
    const other = aFile();
    const victim = aFile();
    const outcomes = [spool.receive("hog", largest.file), spool.receive("hog", other.file)].map((one) =>
      one.then(
        () => "kept",
        (error: unknown) => error,
      ),
    );
    const mine = spool.receive("victim", victim.file);
    largest.send(bytes(45));
    other.send(bytes(35));
    await settle();
    victim.send(bytes(60));
    await settle();
    victim.end();
    largest.send(bytes(1));
    expect((await mine).blocks[0]!.length).toBe(60);
    expect(await outcomes[0]).toEqual(refused("unavailable"));
    other.end();
    expect(await outcomes[1]).toBe("kept");
    expect(spool.bytes()).toBe(95);
  });

  it("release their memory when the upload is aborted", async () => {
    const spool = createSpool({ totalBytes: 100, organizationBytes: 80 });
    // oxlint-disable-next-line typescript/require-await -- a file is read asynchronously
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield bytes(10);
      throw new Error("gone");
    }
    await expect(spool.receive("a", broken())).rejects.toThrow("gone");
    expect(spool.bytes()).toBe(0);
  });
});

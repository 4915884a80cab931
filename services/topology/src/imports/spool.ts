import type { UploadedBytes } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";

// Files are kept in memory until they are there: an import is begun only with a whole file, so that a slow client holds
// nothing but the bytes that it has sent. What has come is copied into blocks of our own, because a piece of an answer may
// be one byte in a buffer of 64 KiB.

const BLOCK_BYTES = 262_144;

export interface SpoolLimits {
  readonly totalBytes: number;
  readonly organizationBytes: number;
}

/** A file in pieces that belong to nobody else, so that they can be handed to another thread. */
export type FileBlocks = Uint8Array<ArrayBuffer>[];

export interface Spool {
  /**
   * Takes in a file. Of a full spool the newest file of the organization that holds the most is given up.
   *
   * @throws AppError `rate_limited` when the organization holds its share · `unavailable` when the file was given up
   */
  receive(organizationId: string, file: UploadedBytes): Promise<SpooledFile>;
  bytes(): number;
}

export interface SpooledFile {
  readonly blocks: FileBlocks;
  /** The bytes are no longer held. */
  release(): void;
}

interface Arriving {
  readonly organizationId: string;
  bytes: number;
  isGivenUp: boolean;
}

const RETRY = { retry_after_seconds: 5 };

export function createSpool({ totalBytes, organizationBytes }: SpoolLimits): Spool {
  const arriving = new Set<Arriving>();
  const held = new Map<string, number>();
  let total = 0;
  const bytesOf = (organizationId: string): number => held.get(organizationId) ?? 0;

  function hold(organizationId: string, bytes: number): void {
    total += bytes;
    const now = bytesOf(organizationId) + bytes;
    if (now === 0) held.delete(organizationId);
    else held.set(organizationId, now);
  }

  function letGo(one: Arriving): void {
    hold(one.organizationId, -one.bytes);
    one.bytes = 0;
  }

  /** Gives up files that are still arriving until there is room. */
  function makeRoom(): void {
    while (total > totalBytes) {
      const [worst] = [...arriving]
        .filter(({ bytes }) => bytes > 0)
        .sort((a, b) => bytesOf(b.organizationId) - bytesOf(a.organizationId) || b.bytes - a.bytes);
      if (worst === undefined) return;
      worst.isGivenUp = true;
      arriving.delete(worst);
      letGo(worst);
    }
  }

  return {
    bytes: () => total,
    receive: async (organizationId, file) => {
      const one: Arriving = { organizationId, bytes: 0, isGivenUp: false };
      const blocks = createBlocks();
      arriving.add(one);
      try {
        for await (const piece of file) {
          if (one.isGivenUp) throw new AppError("unavailable", RETRY);
          blocks.add(piece);
          one.bytes += piece.length;
          hold(organizationId, piece.length);
          if (bytesOf(organizationId) > organizationBytes) throw new AppError("rate_limited", RETRY);
          makeRoom();
        }
        if (one.isGivenUp) throw new AppError("unavailable", RETRY);
      } catch (error) {
        letGo(one);
        throw error;
      } finally {
        arriving.delete(one);
      }
      return {
        blocks: blocks.all(),
        release: () => {
          letGo(one);
        },
      };
    },
  };
}

function createBlocks() {
  const full: FileBlocks = [];
  let block = new Uint8Array(BLOCK_BYTES);
  let used = 0;
  return {
    add: (piece: Uint8Array): void => {
      for (let from = 0; from < piece.length;) {
        const part = piece.subarray(from, from + BLOCK_BYTES - used);
        block.set(part, used);
        used += part.length;
        from += part.length;
        if (used < BLOCK_BYTES) continue;
        full.push(block);
        block = new Uint8Array(BLOCK_BYTES);
        used = 0;
      }
    },
    all: (): FileBlocks => [...full, block.slice(0, used)],
  };
}

import type { UploadedBytes } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";

// Buffers uploads, as they are sent (see `unpack.ts`), so that an import starts with a complete file and slow clients hold only the bytes they sent. Data
// is copied into our own blocks, because a chunk may be one byte of a 64 KiB buffer.

const BLOCK_BYTES = 262_144;

export interface SpoolLimits {
  readonly totalBytes: number;
  readonly organizationBytes: number;
}

/** A file in blocks of its own, which can be transferred to a thread. */
export type FileBlocks = Uint8Array<ArrayBuffer>[];

export interface Spool {
  /**
   * Receives a file. If the spool is full, the newest file of the organization that holds the most is dropped.
   *
   * @throws AppError `rate_limited` if the organization holds its share · `unavailable` if the file was dropped
   */
  receive(organizationId: string, file: UploadedBytes): Promise<SpooledFile>;
  bytes(): number;
}

export interface SpooledFile {
  readonly blocks: FileBlocks;
  /** Releases the bytes. */
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
  const bytesByOrganization = new Map<string, number>();
  let total = 0;
  const bytesOf = (organizationId: string): number => bytesByOrganization.get(organizationId) ?? 0;

  function addBytes(organizationId: string, bytes: number): void {
    total += bytes;
    const now = bytesOf(organizationId) + bytes;
    if (now === 0) bytesByOrganization.delete(organizationId);
    else bytesByOrganization.set(organizationId, now);
  }

  function letGo(one: Arriving): void {
    addBytes(one.organizationId, -one.bytes);
    one.bytes = 0;
  }

  /** Drops files still arriving until there is room. */
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
          addBytes(organizationId, piece.length);
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

import { deflateRawSync, inflateRawSync } from "node:zlib";
import { AppError } from "@nts/shared/errors";

// Results of imports that their clients have not read yet. An import does not wait for its client, which could otherwise
// keep its slot, its thread and its memory from others for as long as it reads slowly. What is read at once is not
// compressed.

/** Characters compressed together. */
const BLOCK = 262_144;

export interface UnreadLimits {
  /** Bytes, mostly compressed. */
  readonly totalBytes: number;
  readonly organizationBytes: number;
}

export interface UnreadResults {
  /**
   * Yields the same, and lets the source go on meanwhile. If there is too much to hold, the largest result of the
   * organization that holds the most is cut off, which ends its source; what it has written remains. A reader that
   * stops early ends the source, too.
   *
   * @throws AppError `unavailable` for a result that was cut off
   */
  ahead(organizationId: string, source: AsyncGenerator<string>): AsyncGenerator<string>;
  bytes(): number;
}

/** A result, from what its reader has not taken yet. */
interface Result {
  readonly organizationId: string;
  readonly blocks: Buffer[];
  /** What follows the blocks. */
  tail: string[];
  tailLength: number;
  /** Of all of these. */
  bytes: number;
  /** No more is added: it is complete, cut off, or not read any longer. */
  isOver: boolean;
  /** Thrown after the rest. */
  fault: Error | null;
  /** Continues a waiting reader. */
  wake: () => void;
}

export function createUnreadResults({ totalBytes, organizationBytes }: UnreadLimits): UnreadResults {
  const results = new Set<Result>();
  const bytesOf = (some: Iterable<Result>): number => [...some].reduce((sum, { bytes }) => sum + bytes, 0);
  const bytesOfOrganization = (id: string): number =>
    bytesOf([...results].filter(({ organizationId }) => organizationId === id));

  /** Cuts off the largest result of the organization with the most until there is room for what was added to one. */
  function makeRoom({ organizationId }: Result): void {
    while (bytesOfOrganization(organizationId) > organizationBytes || bytesOf(results) > totalBytes) {
      const held = [...results].map((one) => ({ one, all: bytesOfOrganization(one.organizationId) }));
      const [worst] = held.sort((a, b) => b.all - a.all || b.one.bytes - a.one.bytes);
      if (worst === undefined) return;
      end(worst.one, new AppError("unavailable"), "cut off");
    }
  }

  async function fill(result: Result, source: AsyncGenerator<string>): Promise<void> {
    try {
      for await (const piece of source) {
        if (result.isOver) return;
        add(result, piece);
        makeRoom(result);
      }
      end(result, null);
    } catch (error) {
      end(result, error as Error);
    }
  }

  return {
    bytes: () => bytesOf(results),
    ahead: async function* (organizationId, source) {
      const result = anEmpty(organizationId);
      results.add(result);
      const filled = fill(result, source);
      try {
        for (;;) {
          const text = take(result);
          if (text !== null) yield text;
          else if (!result.isOver) await new Promise<void>((resolve) => (result.wake = resolve));
          else if (result.fault === null) return;
          else throw result.fault;
        }
      } finally {
        results.delete(result);
        end(result, null, "cut off");
        await filled;
      }
    },
  };
}

function anEmpty(organizationId: string): Result {
  const wake = (): void => undefined;
  return { organizationId, blocks: [], tail: [], tailLength: 0, bytes: 0, isOver: false, fault: null, wake };
}

function add(result: Result, piece: string): void {
  result.tail.push(piece);
  result.tailLength += piece.length;
  result.bytes += piece.length;
  if (result.tailLength >= BLOCK) {
    const block = deflateRawSync(result.tail.join(""), { level: 1 });
    result.blocks.push(block);
    result.bytes += block.length - result.tailLength;
    emptyTail(result);
  }
  result.wake();
}

/** The next text; null if there is none at the moment. */
function take(result: Result): string | null {
  const block = result.blocks.shift();
  if (block !== undefined) {
    result.bytes -= block.length;
    return inflateRawSync(block).toString();
  }
  if (result.tail.length === 0) return null;
  const text = result.tail.join("");
  result.bytes -= result.tailLength;
  emptyTail(result);
  return text;
}

function emptyTail(result: Result): void {
  result.tail = [];
  result.tailLength = 0;
}

/** @param rest whether what is not read yet can still be read */
function end(result: Result, fault: Error | null, rest: "readable" | "cut off" = "readable"): void {
  if (rest === "cut off") {
    result.blocks.length = 0;
    emptyTail(result);
    result.bytes = 0;
  }
  if (!result.isOver || rest === "cut off") result.fault = fault;
  result.isOver = true;
  result.wake();
}

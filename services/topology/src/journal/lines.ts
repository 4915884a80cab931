import type { Backlog, Stretch } from "./backlog.js";
import type { EntityEvent } from "./entries.rules.js";
import type { JournalWriter } from "./writer.js";

// Queues of delayed recordings, one per organization, so that its entries keep commit order independently of others.

/** Something recorded in batches. */
export interface Piece {
  /** Prefetched: slow reads only delay their own queue. Null if there is nothing to record. */
  readonly batches: AsyncGenerator<readonly EntityEvent[]> | null;
  /** Runs when all of it is recorded. */
  readonly onRecorded: () => Promise<void> | void;
}

export interface Lines {
  has(organizationId: string): boolean;
  add(organizationId: string, piece: Piece): void;
  addEvents(organizationId: string, events: readonly EntityEvent[]): Promise<void>;
  /** Records a batch of the queue whose turn it is, if prefetched. @returns the number of new entries */
  goOn(): Promise<number>;
  isEmpty(): boolean;
  close(): Promise<void>;
}

type Read = { readonly result: IteratorResult<readonly EntityEvent[], unknown> } | { readonly error: unknown };

interface Line {
  readonly pieces: Piece[];
  /** The backlog at its end, to which more can be added. */
  gathering: Stretch | null;
  read: Read | null;
  isReading: boolean;
}

export function createLines(writer: JournalWriter, backlog: Backlog): Lines {
  /** In round-robin order. */
  const lines = new Map<string, Line>();

  function lineOf(organizationId: string): Line {
    const line = lines.get(organizationId) ?? { pieces: [], gathering: null, read: null, isReading: false };
    lines.set(organizationId, line);
    return line;
  }

  /** Records the prefetched part of the first item, and removes the item when done. */
  async function record(line: Line, read: Read): Promise<number> {
    line.read = null;
    if ("error" in read) throw read.error;
    if (read.result.done !== true) return writer.write(read.result.value);
    await line.pieces.shift()?.onRecorded();
    return 0;
  }

  return {
    has: (organizationId) => lines.has(organizationId),
    add: (organizationId, piece) => {
      const line = lineOf(organizationId);
      line.gathering = null;
      line.pieces.push(piece);
    },
    addEvents: async (organizationId, events) => {
      const last = await backlog.put(organizationId, events);
      const line = lineOf(organizationId);
      if (line.gathering?.isRead === false) return void (line.gathering.last = last);
      const stretch = { organizationId, first: last - events.length + 1, last, isRead: false };
      line.gathering = stretch;
      line.pieces.push({ batches: backlog.read(stretch), onRecorded: () => backlog.remove(stretch) });
    },
    goOn: async () => {
      for (const [organizationId, line] of lines) {
        if (line.read === null) {
          readAhead(line);
          continue;
        }
        const entries = await record(line, line.read);
        // The others first.
        lines.delete(organizationId);
        if (line.pieces.length > 0) lines.set(organizationId, line);
        readAhead(line);
        return entries;
      }
      return 0;
    },
    isEmpty: () => lines.size === 0,
    close: async () => {
      const started = [...lines.values()].flatMap(({ pieces }) => pieces.slice(0, 1));
      await Promise.allSettled(started.map(async ({ batches }) => batches?.return(undefined)));
    },
  };
}

function readAhead(line: Line): void {
  const [piece] = line.pieces;
  if (piece === undefined || line.isReading) return;
  line.isReading = true;
  const done = (read: Read): void => {
    line.isReading = false;
    line.read = read;
  };
  if (piece.batches === null) return done({ result: { done: true, value: undefined } });
  piece.batches.next().then(
    (result) => {
      done({ result });
    },
    (error: unknown) => {
      done({ error });
    },
  );
}

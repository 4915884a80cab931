import { chunksOf } from "@nts/shared/groups";
import type { Backlog, Stretch } from "./backlog.js";
import type { EntityEvent } from "./entries.rules.js";
import { AT_A_TURN, type JournalWriter } from "./writer.js";

// Queues of delayed recordings, one per organization, so that its entries keep commit order independently of others.

/** Further ones are kept in the database. */
const MOST_HELD = 4 * 1_048_576;
/** Approximate bytes of an event without its state. */
const EVENT_BYTES = 600;

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
  /** Begins to count what is added as part of the next take. */
  nextTake(): void;
  /** Records a batch of the queue whose turn it is, if prefetched. @returns the number of new entries */
  goOn(): Promise<number>;
  isEmpty(): boolean;
  /** The number of the take with the oldest piece, from 1; null if there is none. */
  oldestTake(): number | null;
  close(): Promise<void>;
}

type Read = { readonly result: IteratorResult<readonly EntityEvent[], unknown> } | { readonly error: unknown };

interface Line {
  readonly pieces: (Piece & { readonly take: number })[];
  /** The backlog at its end, to which more can be added. */
  gathering: Stretch | null;
  read: Read | null;
  isReading: boolean;
}

/** @param mostHeld maximum bytes of waiting events in memory */
export function createLines(writer: JournalWriter, backlog: Backlog, mostHeld = MOST_HELD): Lines {
  /** In round-robin order. */
  const lines = new Map<string, Line>();
  const held = createHeld(mostHeld);
  let take = 0;

  function lineOf(organizationId: string): Line {
    const line = lines.get(organizationId) ?? { pieces: [], gathering: null, read: null, isReading: false };
    lines.set(organizationId, line);
    return line;
  }

  function add(organizationId: string, piece: Piece): void {
    const line = lineOf(organizationId);
    line.gathering = null;
    line.pieces.push({ ...piece, take });
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
    add,
    addEvents: async (organizationId, events) => {
      const inMemory = held.pieceOf(events);
      if (inMemory !== null) {
        add(organizationId, inMemory);
        return;
      }
      const last = await backlog.put(organizationId, events);
      const line = lineOf(organizationId);
      if (line.gathering?.isRead === false) return void (line.gathering.last = last);
      const stretch = { organizationId, first: last - events.length + 1, last, isRead: false };
      add(organizationId, { batches: backlog.read(stretch), onRecorded: () => backlog.remove(stretch) });
      line.gathering = stretch;
    },
    nextTake: () => void (take += 1),
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
        if (entries > 0) return entries;
        // The end of a piece is no turn: what follows is read by then, if it is in memory.
        await new Promise(setImmediate);
      }
      return 0;
    },
    isEmpty: () => lines.size === 0,
    oldestTake: () => oldestIn(lines),
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

function oldestIn(lines: ReadonlyMap<string, Line>): number | null {
  const takes = [...lines.values()].flatMap(({ pieces: [first] }) => first?.take ?? []);
  return takes.length === 0 ? null : Math.min(...takes);
}

/** Waiting events in memory, up to a number of bytes. */
function createHeld(most: number) {
  let bytes = 0;
  return {
    /** Null if there is no room. */
    pieceOf: (events: readonly EntityEvent[]): Piece | null => {
      const own = events.reduce((sum, { state }) => sum + EVENT_BYTES + 2 * (state?.wire.length ?? 0), 0);
      if (bytes + own > most) return null;
      bytes += own;
      return { batches: inBatches(events), onRecorded: () => void (bytes -= own) };
    },
  };
}

async function* inBatches(events: readonly EntityEvent[]): AsyncGenerator<readonly EntityEvent[]> {
  for (const batch of chunksOf(events, AT_A_TURN)) yield await Promise.resolve(batch);
}

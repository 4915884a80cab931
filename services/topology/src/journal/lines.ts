import type { Happening } from "./entries.rules.js";
import { BATCH, type JournalWriter } from "./writer.js";

// What is told later, in a line for each organization: its entries have the order of its commits, whatever those of others do.

/** Happenings that may wait; each has the text of an entity. */
const MOST_WAITING = 10_000;

/** Something that is told in batches. */
export interface Piece {
  /** Read ahead: what takes long to read keeps nobody waiting but its own line. Null when there is nothing to tell. */
  readonly batches: AsyncGenerator<readonly Happening[]> | null;
  /** Follows when all of it is told. */
  readonly told: () => Promise<void> | void;
}

export interface Lines {
  has(organizationId: string): boolean;
  add(organizationId: string, piece: Piece): void;
  addHappening(happening: Happening): void;
  /** Tells one batch of the line whose turn it is, if it has been read. @returns how many entries that made */
  goOn(): Promise<number>;
  isEmpty(): boolean;
  isFull(): boolean;
  close(): Promise<void>;
}

type Read = { readonly result: IteratorResult<readonly Happening[], unknown> } | { readonly error: unknown };

interface Line {
  readonly pieces: Piece[];
  /** Those at the end of the line, while they can get more. */
  gathering: Happening[] | null;
  read: Read | null;
  isReading: boolean;
}

export function createLines(writer: JournalWriter): Lines {
  /** In the order of their turns. */
  const lines = new Map<string, Line>();
  let waiting = 0;

  function lineOf(organizationId: string): Line {
    const line = lines.get(organizationId) ?? { pieces: [], gathering: null, read: null, isReading: false };
    lines.set(organizationId, line);
    return line;
  }

  /** Writes what has been read of the first piece, and takes the piece off the line when that was all. */
  async function tell(line: Line, read: Read): Promise<number> {
    line.read = null;
    if ("error" in read) throw read.error;
    if (read.result.done !== true) return writer.write(read.result.value);
    await line.pieces.shift()?.told();
    return 0;
  }

  return {
    has: (organizationId) => lines.has(organizationId),
    add: (organizationId, piece) => {
      const line = lineOf(organizationId);
      line.gathering = null;
      line.pieces.push(piece);
    },
    addHappening: (happening) => {
      const line = lineOf(happening.organizationId);
      waiting += 1;
      if (line.gathering !== null && line.gathering.length < BATCH) return void line.gathering.push(happening);
      const gathered = [happening];
      line.gathering = gathered;
      line.pieces.push({
        batches: once(() => {
          if (line.gathering === gathered) line.gathering = null;
          return gathered;
        }),
        told: () => {
          waiting -= gathered.length;
        },
      });
    },
    goOn: async () => {
      for (const [organizationId, line] of lines) {
        if (line.read === null) {
          readAhead(line);
          continue;
        }
        const entries = await tell(line, line.read);
        // The others first.
        lines.delete(organizationId);
        if (line.pieces.length > 0) lines.set(organizationId, line);
        readAhead(line);
        return entries;
      }
      return 0;
    },
    isEmpty: () => lines.size === 0,
    isFull: () => waiting >= MOST_WAITING,
    close: async () => {
      const begun = [...lines.values()].flatMap(({ pieces }) => pieces.slice(0, 1));
      await Promise.allSettled(begun.map(async ({ batches }) => batches?.return(undefined)));
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

async function* once(gathered: () => readonly Happening[]): AsyncGenerator<readonly Happening[]> {
  yield await Promise.resolve(gathered());
}

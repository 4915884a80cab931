import type { Backlog, Stretch } from "./backlog.js";
import type { Happening } from "./entries.rules.js";
import type { JournalWriter } from "./writer.js";

// What is told later, in a line for each organization: its entries have the order of its commits, whatever those of others do.

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
  addHappenings(organizationId: string, happenings: readonly Happening[]): Promise<void>;
  /** Tells one batch of the line whose turn it is, if it has been read. @returns how many entries that made */
  goOn(): Promise<number>;
  isEmpty(): boolean;
  close(): Promise<void>;
}

type Read = { readonly result: IteratorResult<readonly Happening[], unknown> } | { readonly error: unknown };

interface Line {
  readonly pieces: Piece[];
  /** What is at its end, while more can come to it. */
  gathering: Stretch | null;
  read: Read | null;
  isReading: boolean;
}

export function createLines(writer: JournalWriter, backlog: Backlog): Lines {
  /** In the order of their turns. */
  const lines = new Map<string, Line>();

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
    addHappenings: async (organizationId, happenings) => {
      const last = await backlog.put(organizationId, happenings);
      const line = lineOf(organizationId);
      if (line.gathering?.isRead === false) return void (line.gathering.last = last);
      const stretch = { organizationId, first: last - happenings.length + 1, last, isRead: false };
      line.gathering = stretch;
      line.pieces.push({ batches: backlog.read(stretch), told: () => backlog.remove(stretch) });
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

import { RESPONSE_LIMITS } from "./scan.rules.js";
import type { FileGiven, ReadFile, Session } from "./session.js";
import { unpackedOneByOne, unpackInPlace } from "./unpack.js";

export interface ReceivedGiven extends FileGiven {
  /** Each block is compressed by itself, and the text is in UTF-8; otherwise the file as a whole may be compressed. */
  readonly isPacked: boolean;
}

/** A session that gets its file block by block. */
export interface ReceivingSession extends Omit<Session, "read"> {
  /** Takes over a block of the file. */
  receive(block: Uint8Array<ArrayBuffer>): void;
  /** Reads what was received. @throws AppError `validation_failed` */
  read(given: ReceivedGiven): Promise<ReadFile>;
}

export function receiving(session: Session): ReceivingSession {
  let received: Uint8Array[] = [];
  return {
    ...session,
    receive: (block) => void received.push(block),
    read: async (given) => {
      const blocks = received;
      received = [];
      if (given.isPacked) return session.read(unpackedOneByOne(blocks), given);
      await unpackInPlace(blocks, given.limits ?? RESPONSE_LIMITS);
      return session.read(blocks, given);
    },
  };
}

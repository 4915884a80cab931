import { RESPONSE_LIMITS } from "./scan.rules.js";
import type { FileGiven, ReadFile, Session } from "./session.js";
import { unpackInPlace } from "./unpack.js";

/** A session that gets its file block by block. */
export interface ReceivingSession extends Omit<Session, "read"> {
  /** Takes over a block of the file. */
  receive(block: Uint8Array<ArrayBuffer>): void;
  /** Reads what was received, which may be compressed. @throws AppError `validation_failed` */
  read(given: FileGiven): Promise<ReadFile>;
}

export function receiving(session: Session): ReceivingSession {
  let received: Uint8Array[] = [];
  return {
    ...session,
    receive: (block) => void received.push(block),
    read: async (given) => {
      const blocks = received;
      received = [];
      await unpackInPlace(blocks, given.limits ?? RESPONSE_LIMITS);
      return session.read(blocks, given);
    },
  };
}

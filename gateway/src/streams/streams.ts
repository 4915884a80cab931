import { AppError } from "@nts/shared/errors";
import type { UserPrincipal } from "@nts/shared/http/tenancy";

// The streams that are open. Whoever changes rights is answered when each gateway has applied the change; before this one says
// so, the streams that it may concern are told, and let nothing through until their rights have been checked again.

/** Milliseconds between two looks whether the rights of a stream still stand; keys expire to the second. */
const LOOK_MS = 1_000;

/** A stream, as long as it is open. */
export interface OpenStream {
  readonly principal: UserPrincipal;
  /** The rights of its caller may be others by now. */
  forgotten(): void;
  /** Time has passed. */
  look(): void;
  /** The process stops. */
  close(): void;
}

export interface Streams {
  /** @throws AppError `unavailable` when the process stops @returns takes it out again */
  add(stream: OpenStream): () => void;
  /** @param subjects ids of users, organizations and credentials; null for all */
  forget(subjects: readonly string[] | null): void;
  /** Ends all of them. */
  close(): Promise<void>;
}

export function createStreams(): Streams {
  const open = new Set<OpenStream>();
  let isClosing = false;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    for (const stream of [...open]) stream.look();
  };
  return {
    add: (stream) => {
      if (isClosing) throw new AppError("unavailable", {}, "the process stops");
      open.add(stream);
      timer ??= setInterval(look, LOOK_MS).unref();
      return () => {
        open.delete(stream);
        if (open.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    forget: (subjects) => {
      for (const stream of [...open]) if (subjects === null || isAmong(subjects, stream.principal)) stream.forgotten();
    },
    close: () => {
      isClosing = true;
      for (const stream of [...open]) stream.close();
      return Promise.resolve();
    },
  };
}

function isAmong(subjects: readonly string[], { credentialId, userId, scope }: UserPrincipal): boolean {
  return [credentialId, userId, scope.organizationId].some((id) => subjects.includes(id));
}

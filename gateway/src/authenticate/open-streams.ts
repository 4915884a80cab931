import { AppError } from "@nts/shared/errors";
import type { UserPrincipal } from "@nts/shared/http/tenancy";

// Open streams. Before this gateway acknowledges a change of rights, affected streams are notified and hold events back
// until re-checked.

/** Milliseconds between checks of a stream's rights; keys expire to the second. */
const LOOK_MS = 1_000;

/** An open stream. */
export interface OpenStream {
  readonly principal: UserPrincipal;
  /** The caller's rights may have changed. */
  forgotten(): void;
  /** Time has passed. */
  look(): void;
  /** The process stops. */
  close(): void;
}

export interface Streams {
  /** @throws AppError `unavailable` if the process stops @returns removes it */
  add(stream: OpenStream): () => void;
  areOpen(): boolean;
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
    areOpen: () => open.size > 0,
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

import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Work } from "@nts/shared/work";
import type { Database } from "../storage/database.js";
import { digestOfIds } from "../storage/digest.js";
import { caughtUp } from "./barrier.js";
import type { JournalReader } from "./read.js";

// Files of a whole inventory are identified by its last recorded change that the caller may see. The journal lags a little
// behind writes, so before a client may keep its copy, everything that was committed must be recorded.

export interface StateParts {
  readonly database: Database;
  readonly journal: Pick<JournalReader, "place" | "cursors">;
  /** Changes with the content of the file. */
  readonly form: string;
}

/** The state of the inventory that a caller sees. Contents that are read later may be newer, never older. */
export interface SeenState {
  /** Number of the last recorded change. */
  readonly place: number;
  readonly cursor: string;
  /** Of the response. */
  readonly tag: { readonly revision: string; readonly volatile?: boolean };
}

interface Asking {
  readonly work: Work;
  /** Of the caller, including networks that are being deleted. */
  readonly rights: Scope;
}

/** Reads the state, before the contents. */
export async function readSeenState(parts: StateParts, { work, rights }: Asking): Promise<SeenState> {
  const state = await readState(parts, rights);
  if (work.hasCopyOf?.(state.tag.revision) !== true) return state;
  try {
    await caughtUp(parts.database, rights, work);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
    // Whether the copy is current is unknown, so another one is sent.
    return { ...state, tag: { ...state.tag, volatile: true } };
  }
  return readState(parts, rights);
}

async function readState({ journal, form }: StateParts, rights: Scope): Promise<SeenState> {
  const { organizationId, networks } = rights;
  const [place, cursors] = await Promise.all([journal.place(rights), journal.cursors()]);
  const cursor = cursors.of(organizationId, place);
  // Another network may have older changes only.
  const seen = networks === "all" ? "" : `.${digestOfIds(networks)}`;
  return { place, cursor, tag: { revision: form + cursor + seen } };
}

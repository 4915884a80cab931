import type { Scope } from "@nts/shared/http/tenancy";
import type { Precondition } from "@nts/shared/revision";
import type { Work } from "@nts/shared/work";

/** The request that writes, and what it may see. */
export interface Writer {
  readonly work: Work;
  readonly scope: Scope;
}

/** The entity that a request updates. */
export interface Updating extends Writer {
  readonly id: string;
  /** Revisions that the caller accepts; null if not specified. */
  readonly precondition: Precondition | null;
}

/** The entities that a request deletes. */
export interface Removing extends Writer {
  readonly ids: readonly string[];
  readonly precondition: Precondition | null;
}

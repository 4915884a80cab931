import type { Scope } from "@nts/shared/http/tenancy";
import type { Work } from "@nts/shared/work";

/** What a caller asks to remove. */
export interface Removed {
  readonly work: Work;
  readonly scope: Scope;
  readonly ids: readonly string[];
  /** Revisions that the caller accepts; null when it did not say. */
  readonly ifMatch: readonly string[] | null;
}

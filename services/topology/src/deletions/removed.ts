import type { Scope } from "@nts/shared/http/tenancy";
import type { Work } from "@nts/shared/work";

/** A deletion request. */
export interface Removed {
  readonly work: Work;
  readonly scope: Scope;
  readonly ids: readonly string[];
  /** Revisions from `If-Match`; null if absent. */
  readonly ifMatch: readonly string[] | null;
}

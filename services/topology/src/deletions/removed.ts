import type { Scope } from "@nts/shared/http/tenancy";
import type { Precondition } from "@nts/shared/revision";
import type { Work } from "@nts/shared/work";

/** A deletion request. */
export interface Removed {
  readonly work: Work;
  readonly scope: Scope;
  readonly ids: readonly string[];
  readonly precondition: Precondition | null;
}

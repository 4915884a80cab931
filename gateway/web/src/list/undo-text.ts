import type { Endpoint } from "@nts/shared/contract";
import { REVERTED_ENTITIES } from "@nts/shared/contract";

const UNDOABLE = "The deletion can be undone under Activity";

/** For deletions that can cover more than a request that can be reverted. */
export const UNDOABLE_LARGE = `${UNDOABLE}, unless it covers more than ${REVERTED_ENTITIES.toLocaleString("en")} entries.`;

/** These delete little else. */
const SMALL = /^\/api\/v1\/(subnets|interfaces|ports|services|dependencies)\/\{id\}$/;

/** The consequence of a deletion, and whether it can be undone: only the inventory, which can also be previewed, has a journal. */
export function withUndo(consequence: string, { path, plans }: Endpoint): string {
  if (plans !== true) return consequence;
  return `${consequence} ${SMALL.test(path) ? `${UNDOABLE}.` : UNDOABLE_LARGE}`;
}

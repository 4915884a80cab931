import { isId } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";

/** Free labels may be anything; a tag in the form of an id would have to be a managed tag. @throws AppError `invalid_reference` */
export function checkTags(tags: readonly string[], path = "tags"): void {
  const wrong = tags.findIndex(isId);
  if (wrong !== -1) throw new AppError("invalid_reference", { path: `${path}.${wrong}` });
}

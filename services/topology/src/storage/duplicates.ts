import { AppError } from "@nts/shared/errors";
import { isDuplicateKey } from "@nts/shared/mongo/faults";
import { UNIQUE_INDEXES } from "./indexes.js";

/**
 * Runs writes that may violate a unique index.
 *
 * @throws AppError `already_exists` with the entity and field of the index
 */
export async function refusingDuplicates<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const [, meaning] =
      Object.entries(UNIQUE_INDEXES).find(([name]) => error.message.includes(`index: ${name} `)) ?? [];
    throw meaning === undefined ? error : new AppError("already_exists", meaning, error);
  }
}

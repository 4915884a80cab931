import { AppError, type Fault, validationFailed } from "../errors.js";

/** The readers of the parts of a request. */
export interface Parts {
  readonly params: () => unknown;
  readonly query: () => unknown;
  readonly body: () => Promise<unknown>;
}

/**
 * Reads all parts of a request, so that the faults of all of them are reported.
 *
 * @throws AppError `validation_failed`; if only the body has a fault, what its reader throws
 */
export async function readParts(parts: Parts): Promise<{ params: unknown; query: unknown; body: unknown }> {
  const faults: Fault[] = [];
  const params = read(parts.params, faults);
  const query = read(parts.query, faults);
  const body = await parts.body().catch((error: unknown) => {
    const more = faultsIn(error);
    if (more === null && faults.length === 0) throw error;
    faults.push(...(more ?? []));
  });
  if (faults.length > 0) throw validationFailed(...faults);
  return { params, query, body };
}

function read(part: () => unknown, faults: Fault[]): unknown {
  try {
    return part();
  } catch (error) {
    const more = faultsIn(error);
    if (more === null) throw error;
    faults.push(...more);
    return undefined;
  }
}

function faultsIn(error: unknown): readonly Fault[] | null {
  return error instanceof AppError && error.code === "validation_failed" ? (error.params["errors"] as Fault[]) : null;
}

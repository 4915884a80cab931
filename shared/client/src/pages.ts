import type { Operation, Input, Transport } from "./transport.js";

/** Iterates over pages by the cursor of a list, or by `next` of a journal. @throws ApiError */
export async function* pagesOf<Row>(
  transport: Pick<Transport, "send">,
  operation: Operation,
  input: Input,
): AsyncGenerator<Row[], void, void> {
  for (let place: Readonly<Record<string, string>> | null = {}; place !== null;) {
    const query: object = { ...(input.query as object | undefined), ...place };
    const response = await transport.send(operation, { ...input, query });
    const rows = (response?.data ?? []) as Row[];
    yield rows;
    place = response === null ? null : placeBehind(response.meta, rows.length, place);
  }
}

/**
 * Where the next page starts; null at the end. Journal pages may be empty although more follow: then the cursor
 * advances.
 */
function placeBehind(
  { pagination, next }: { readonly pagination?: { readonly next?: string }; readonly next?: string | null },
  rows: number,
  place: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | null {
  if (pagination !== undefined) return pagination.next === undefined ? null : { cursor: pagination.next };
  if (next === undefined || next === null || (rows === 0 && next === place["after"])) return null;
  return { after: next };
}

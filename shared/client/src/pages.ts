import type { Operation, Input, Transport } from "./transport.js";

/** The pages of a list by its cursor, or of the entries of a journal by what `next` says. @throws ApiError */
export async function* pagesOf<Row>(
  transport: Pick<Transport, "send">,
  operation: Operation,
  input: Input,
): AsyncGenerator<Row[], void, void> {
  for (let place: Readonly<Record<string, string>> | null = {}; place !== null;) {
    const query: object = { ...(input.query as object | undefined), ...place };
    const answered = await transport.send(operation, { ...input, query });
    const rows = (answered?.data ?? []) as Row[];
    yield rows;
    place = answered === null ? null : placeBehind(answered.meta, rows.length, place);
  }
}

/** Where the next page begins; null at the end. Some pages of a journal are empty while more follow: their place moves. */
function placeBehind(
  { pagination, next }: { readonly pagination?: { readonly next?: string }; readonly next?: string | null },
  rows: number,
  place: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | null {
  if (pagination !== undefined) return pagination.next === undefined ? null : { cursor: pagination.next };
  if (next === undefined || next === null || (rows === 0 && next === place["after"])) return null;
  return { after: next };
}

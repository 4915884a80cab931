import type { ListPart } from "@nts/shared/http/answer";

/** The values of a list, as many at a time as come at once; one that comes in pieces is put together first. */
export async function* valuesIn<T>(parts: AsyncIterable<ListPart>): AsyncGenerator<readonly T[]> {
  let texts: Buffer[] = [];
  // The first one has a comma before it, too.
  const values = (): T[] => JSON.parse(`[${Buffer.concat(texts).toString("utf8", 1)}]`) as T[];
  for await (const { text, rows } of parts) {
    if (rows > 0 && texts.length > 0) {
      yield values();
      texts = [];
    }
    if (text.length > 0) texts.push(text);
  }
  if (texts.length > 0) yield values();
}

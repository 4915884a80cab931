import type { Host } from "@nts/shared/contract";
import type { ListPart } from "@nts/shared/http/answer";

// A host can have tens of megabytes on it, nearly all of them free details of how things are virtualized, which no export has. The
// list has such a host in pieces: a comma, what opens the host, and its children some at a time between what opens and closes
// their lists. So they are read some at a time here, too, and only what is needed of them is kept.

/** The hosts of a list, as many at a time as come at once; nothing on them is said to be virtualized. */
export async function* hostsIn(parts: AsyncIterable<ListPart>): AsyncGenerator<readonly Host[]> {
  let texts: string[] = [];
  const hosts = (): Host[] => JSON.parse(`[${texts.join("")}]`) as Host[];
  for await (const { text, rows } of parts) {
    if (rows > 0 && texts.length > 0) {
      yield hosts();
      texts = [];
    }
    const isBehindHead = rows === 0 && texts.length > 1;
    // Without the comma before each host.
    const piece = text.toString("utf8", texts.length === 0 ? 1 : 0);
    texts.push(isBehindHead && /^,?\{/.test(piece) ? withoutDetails(piece) : piece);
  }
  if (texts.length > 0) yield hosts();
}

/** @param text children, with a comma before each but the first of all */
function withoutDetails(text: string): string {
  const comma = text.startsWith(",") ? "," : "";
  const children = JSON.parse(`[${text.slice(comma.length)}]`) as object[];
  return comma + children.map((child) => JSON.stringify({ ...child, virtualization: null })).join(",");
}

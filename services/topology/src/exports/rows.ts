import type { Host } from "@nts/shared/contract";
import type { ListPart } from "@nts/shared/http/respond";

// A host can have tens of megabytes of virtualization details, which no export needs. The list streams such a host in chunks, so the
// details of its children are dropped chunk by chunk.

/** Parses the hosts of a list in batches as they arrive, without the virtualization of their children. */
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

/** @param text comma-separated children, possibly with a leading comma */
function withoutDetails(text: string): string {
  const comma = text.startsWith(",") ? "," : "";
  const children = JSON.parse(`[${text.slice(comma.length)}]`) as object[];
  return comma + children.map((child) => JSON.stringify({ ...child, virtualization: null })).join(",");
}

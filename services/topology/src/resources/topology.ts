import { getTopology, type TopologyFormat } from "@nts/shared/contract";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import { streamed } from "../storage/lists.js";
import { narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";
import { createDotWriter } from "../map/formats/dot.rules.js";
import { createGraphmlWriter } from "../map/formats/graphml.rules.js";
import { createJsonWriter } from "../map/formats/json.rules.js";
import { createMermaidWriter } from "../map/formats/mermaid.rules.js";
import type { MapWriter } from "../map/formats/writer.rules.js";
import { pastSource } from "../map/past.js";
import { readLinkMap } from "../map/link-map.js";
import { type MapPiece, readMap, storedSource } from "../map/read.js";
import type { Past } from "../past/past.js";

interface FileKind {
  readonly createWriter: () => MapWriter;
  readonly mediaType: string;
  readonly fileName: string;
}

const FILES: Readonly<Record<Exclude<TopologyFormat, "json">, FileKind>> = {
  dot: { createWriter: createDotWriter, mediaType: "text/vnd.graphviz", fileName: "topology.dot" },
  mermaid: { createWriter: createMermaidWriter, mediaType: "application/vnd.mermaid", fileName: "topology.mmd" },
  graphml: { createWriter: createGraphmlWriter, mediaType: "application/graphml+xml", fileName: "topology.graphml" },
};

export function mountTopology(router: Router, storage: Storage, past: Past): void {
  mount(router, getTopology, async ({ work, scope, principal, query: { network_id, layer, format, as_of: asOf } }) => {
    const rights = narrowedTo(principal.scope, network_id);
    const source =
      asOf === undefined
        ? storedSource(storage, narrowedTo(scope, network_id))
        : await pastSource(storage, past, { work, rights, asOf, networkId: network_id });
    const pieces = streamed(work, layer === "l2" ? readLinkMap(source, scope.organizationId) : readMap(source));
    if (format === "json") return respond.jsonPieces(written(pieces, createJsonWriter()));
    const { createWriter, ...file } = FILES[format];
    const text = written(pieces, createWriter());
    // Mermaid's limits are only checked at the end; they also bound the memory for it.
    return respond.file(format === "mermaid" ? await whole(text) : text, file);
  });
}

/** The text of a map, in chunks. */
async function* written(pieces: AsyncIterable<MapPiece>, writer: MapWriter): AsyncGenerator<string> {
  let before = writer.begin;
  let hasEdges = false;
  for await (const { nodes = [], edges } of pieces) {
    if (edges !== undefined && !hasEdges) {
      before += writer.between;
      hasEdges = true;
    }
    const text = before + writer.nodes(nodes) + writer.edges(edges ?? []);
    before = "";
    if (text !== "") yield text;
  }
  yield before + (hasEdges ? "" : writer.between) + writer.end;
}

async function whole(text: AsyncIterable<string>): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of text) pieces.push(piece);
  return pieces;
}

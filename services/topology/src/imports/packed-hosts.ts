import { deflateRawSync, inflateRawSync } from "node:zlib";
import { type Details, type Packable, type PackedDetails, PackedHost } from "./packed-hosts.rules.js";
import type { SeenHost } from "./scan.rules.js";

// A scan with scripts says much of each of its hosts, of which few are planned at a time. What does not identify them is kept
// compressed, so that a file of tens of thousands takes little memory.

/** Hosts compressed together. */
const BLOCK_HOSTS = 100;
/** Blocks that stay uncompressed after they were used; hosts are planned in their order. */
const MOST_UNPACKED = 4;

/** Takes the details of hosts until it is full. */
interface Block extends PackedDetails {
  /** @returns their position */
  add(details: Details): number;
  isFull(): boolean;
}

/** Packs hosts. */
export function createPacker(): (host: Packable & Pick<SeenHost, "cards" | "isOnlyKnown">) => SeenHost {
  const unpacked = new Map<Block, readonly Details[]>();

  function newBlock(): Block {
    /** The JSON of each, until the block is full. */
    let texts: string[] = [];
    let packed: Uint8Array | null = null;

    function detailsIn(all: Uint8Array): readonly Details[] {
      const known = unpacked.get(block);
      if (known !== undefined) return known;
      const details = JSON.parse(inflateRawSync(all).toString()) as readonly Details[];
      const [oldest] = unpacked.keys();
      if (oldest !== undefined && unpacked.size === MOST_UNPACKED) unpacked.delete(oldest);
      unpacked.set(block, details);
      return details;
    }

    const block: Block = {
      at: (position) =>
        packed === null ? (JSON.parse(texts[position] ?? "") as Details) : (detailsIn(packed)[position] as Details),
      add: (details) => {
        const position = texts.push(JSON.stringify(details)) - 1;
        if (texts.length < BLOCK_HOSTS) return position;
        packed = deflateRawSync(`[${texts.join(",")}]`, { level: 1 });
        texts = [];
        return position;
      },
      isFull: () => packed !== null,
    };
    return block;
  }

  let block = newBlock();
  return (host) => {
    // By these it is recognized, too.
    if (host.cards !== undefined || host.isOnlyKnown === true) return host;
    if (block.isFull()) block = newBlock();
    const { vendor, says, tags, attributes, ports, covered } = host;
    return new PackedHost(host, block, block.add({ vendor, says, tags, attributes, ports, covered }));
  };
}

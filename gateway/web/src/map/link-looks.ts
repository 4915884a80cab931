import { PALETTES, type Scheme } from "./colours.js";
import type { LinkWords } from "./link-words.js";
import type { LineLook } from "./surface.js";

// How links are drawn: wireless ones dashed, tunnels dotted, fast ones wider.

const GIGABIT = 1_000;
const WIDTH = { slow: 1, usual: 1.5, fast: 2.25 } as const;

export const LINK_NAMES: Readonly<Record<LinkWords["kind"], string>> = {
  Ethernet: "Cable",
  Wireless: "Wireless",
  Tunnel: "Tunnel",
  Other: "Other link",
  Guest: "Runs there",
};

export function lookOfLink({ kind, speedMbps }: Pick<LinkWords, "kind" | "speedMbps">, scheme: Scheme): LineLook {
  const { accent, dimText, lines } = PALETTES[scheme];
  switch (kind) {
    case "Ethernet":
      return { colour: accent, width: widthOf(speedMbps) };
    case "Wireless":
      return { colour: lines[1] ?? accent, width: WIDTH.usual, dashes: [6, 4] };
    case "Tunnel":
      return { colour: lines[4] ?? accent, width: WIDTH.usual, dashes: [1.5, 3] };
    case "Other":
      return { colour: dimText, width: WIDTH.usual };
    case "Guest":
      return { colour: dimText, width: WIDTH.slow };
  }
}

function widthOf(speedMbps: number | null): number {
  if (speedMbps === null || speedMbps === GIGABIT) return WIDTH.usual;
  return speedMbps < GIGABIT ? WIDTH.slow : WIDTH.fast;
}

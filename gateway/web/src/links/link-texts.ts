import { LINK_KINDS, type LinkKind } from "@nts/shared/contract";

const TEXTS: Readonly<Record<LinkKind, string>> = {
  Ethernet: "Cable",
  Wireless: "Wireless",
  Tunnel: "Tunnel",
  Other: "Other",
};

export function linkKindText(kind: LinkKind): string {
  return TEXTS[kind];
}

export const LINK_KIND_CHOICES = LINK_KINDS.map((value) => ({ value, label: TEXTS[value] }));

const GIGABIT = 1_000;

/** Such as `2.5 Gbit/s`. */
export function speedText(mbps: number): string {
  return mbps < GIGABIT ? `${mbps} Mbit/s` : `${(mbps / GIGABIT).toLocaleString("en")} Gbit/s`;
}

import { LINK_KINDS, type LinkKind } from "@nts/shared/contract";
import { speedText } from "../links/link-texts.js";
import type { HostParts, LinkEdge, Model } from "./model.js";

// What the map says of links, by the state that is shown.

/** How something hangs on what is above it. */
export interface Hanging {
  /** The edge: a link, or that it runs there. */
  readonly edgeId: string;
  /** Ids of its other links, which are not part of the tree. */
  readonly others: readonly string[];
}

/** What a host hangs on: by a link, or because it runs there. */
export interface Above {
  readonly hostId: string;
  readonly edgeId: string;
  readonly link: LinkEdge | null;
}

export interface LinkWords {
  readonly kind: LinkKind | "Guest";
  readonly speedMbps: number | null;
  /** The port of the device above; empty if unknown. */
  readonly there: string;
  /** The own port; empty if unknown. */
  readonly here: string;
  /** Such as `1 Gbit/s`. */
  readonly speed: string;
  /** Such as `VLAN 10`. */
  readonly vlans: string;
}

const GUEST: LinkWords = { kind: "Guest", speedMbps: null, there: "", here: "", speed: "", vlans: "" };

/** Drawing asks for them in every frame. */
const known = new WeakMap<Model, Map<string, LinkWords | null>>();

/** Null if there is no such edge in the state that is shown. */
export function wordsOf(model: Model, edgeId: string): LinkWords | null {
  const words = known.get(model) ?? new Map<string, LinkWords | null>();
  known.set(model, words);
  const found = words.get(edgeId);
  if (found !== undefined) return found;
  const edge = model.hangings.get(edgeId);
  const said = edge === undefined ? null : edge.kind === "link" ? wordsOfLink(model, edge) : GUEST;
  words.set(edgeId, said);
  return said;
}

function wordsOfLink({ hosts }: Model, link: LinkEdge): LinkWords {
  return {
    kind: link.link_kind,
    speedMbps: link.speed_mbps,
    there: portAt(hosts.get(link.target), link.target_port, link.target_interface_id),
    here: portAt(hosts.get(link.source), link.source_port, link.source_interface_id),
    speed: link.speed_mbps === null ? "" : speedText(link.speed_mbps),
    vlans: vlansText(link.vids),
  };
}

/** Lines about further links that are not part of the tree, such as `eth1 to Gi1/0/7 of Core 2`. */
export function otherTexts(model: Model, { edgeId, others }: Hanging): string[] {
  const tree = model.hangings.get(edgeId);
  const target = tree?.kind === "link" ? tree.target : null;
  return others.flatMap((id) => {
    const link = model.hangings.get(id);
    if (link?.kind !== "link") return [];
    const { here, there } = wordsOfLink(model, link);
    const name = model.hosts.get(link.target)?.node.label ?? "";
    // what it hangs on need not be named again
    const place = there === "" ? name : link.target === target ? there : `${there} of ${name}`;
    return [`${here === "" ? "also" : here} to ${place}`];
  });
}

/** The name of a port, or else of the interface or its address; empty if neither is known. */
export function portAt(host: HostParts | undefined, port: string | null, interfaceId: string | null): string {
  if (port !== null) return port;
  const one = host?.interfaces.find(({ interface_id }) => interface_id === interfaceId);
  return one?.name ?? one?.ip_address ?? "";
}

/** Such as `Gi1/0/24 of Core switch`. */
export function placeText({ hosts }: Model, { hostId, link }: Above): string {
  const host = hosts.get(hostId);
  const name = host?.node.label ?? "";
  const there = link === null ? "" : portAt(host, link.target_port, link.target_interface_id);
  return there === "" ? `on ${name}` : `${there} of ${name}`;
}

const MOST_VIDS = 3;

/** Such as `VLANs 10, 20` and `12 VLANs`. */
export function vlansText(vids: readonly number[]): string {
  if (vids.length === 0) return "";
  if (vids.length > MOST_VIDS) return `${vids.length} VLANs`;
  return `${vids.length === 1 ? "VLAN" : "VLANs"} ${vids.join(", ")}`;
}

export const HANGING_KINDS = [...LINK_KINDS, "Guest"] as const;

import type { Point } from "./geometry.js";
import type { ReactNode } from "react";
import { detailBeside } from "../parts/detail.js";
import { roleText } from "../parts/texts.js";
import { portsText } from "../sockets/sockets.js";
import type { Look } from "./look.js";
import { type Hanging, otherTexts, wordsOf } from "./link-words.js";
import { type Hit, isTile } from "./map-view.js";
import classes from "./map.module.css";
import { addressesOf, boundTo, type Model } from "./model.js";

const AWAY = 14;
const MOST_ADDRESSES = 3;

/** What is under the pointer, in full. */
export function Tip({ look, at, hit }: { readonly look: Look; readonly at: Point; readonly hit: Hit }): ReactNode {
  if (hit === null) return null;
  const lines = linesOf(look, hit);
  if (lines.length === 0) return null;
  return (
    <div className={classes.tip} aria-hidden ref={(tip) => place(tip, at)}>
      {lines.map((line, index) => (
        <div key={index}>{line}</div>
      ))}
    </div>
  );
}

/** By the object model, because the content security policy forbids styles in elements. */
function place(tip: HTMLElement | null, { x, y }: Point): void {
  const box = tip?.parentElement;
  if (!tip || !box) return;
  const isRight = x + AWAY + tip.offsetWidth > box.clientWidth;
  const isLow = y + AWAY + tip.offsetHeight > box.clientHeight;
  tip.style.left = `${isRight ? Math.max(0, x - AWAY - tip.offsetWidth) : x + AWAY}px`;
  tip.style.top = `${isLow ? Math.max(0, y - AWAY - tip.offsetHeight) : y + AWAY}px`;
}

/** Such as `Gi1/0/24 to eth0` and `1 Gbit/s, VLAN 10`. */
function hangingTexts(model: Model, hanging: Hanging): string[] {
  const words = wordsOf(model, hanging.edgeId);
  if (words === null) return [];
  const { there, here, speed, vlans } = words;
  const join = (texts: readonly string[], by: string): string => texts.filter((text) => text !== "").join(by);
  return [join([there, here], " to "), join([speed, vlans], ", "), ...otherTexts(model, hanging)];
}

function linesOf({ model }: Look, hit: NonNullable<Hit>): string[] {
  if (!isTile(hit)) {
    const { title, detail, use, kind } = hit.spec;
    if (kind === "network" || kind === "bar") return [];
    const inUse =
      use === null ? "" : `${use.used.toLocaleString("en")} of ${use.capacity.toLocaleString("en")} addresses in use`;
    const { hanging } = hit.spec;
    const lines = [
      title,
      detailBeside(title, detail),
      inUse,
      ...(hanging === null ? [] : hangingTexts(model, hanging)),
    ];
    return lines.filter((line) => line !== "");
  }
  const { node, hanging } = hit.spec;
  if (node.kind === "service") {
    const host = model.nodes.get(node.host_id)?.label ?? "";
    return [
      node.label,
      `${detailBeside(node.label, node.service_definition)} ${portsText(boundTo(model, node.id))}`.trim(),
      host,
    ];
  }
  const addresses = addressesOf(model.hosts.get(node.id));
  const shown = addresses.slice(0, MOST_ADDRESSES).join(", ");
  const more = addresses.length > MOST_ADDRESSES ? ` and ${addresses.length - MOST_ADDRESSES} more` : "";
  const role = node.role === null ? "" : roleText(node.role);
  const lines = [node.label, detailBeside(node.label, node.hostname), `${shown}${more}`, role];
  return [...lines, ...(hanging === null ? [] : hangingTexts(model, hanging))].filter((line) => line !== "");
}

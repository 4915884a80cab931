import type { ReactNode } from "react";
import { contains } from "./camera.js";
import type { PlacedBox } from "./layout.js";
import type { Look } from "./look.js";
import type { MapView } from "./map-view.js";
import classes from "./map.module.css";

/** The share of the view that a box fills when people are in it. */
const MOSTLY = 0.55;

interface CrumbsProps {
  readonly view: MapView;
  readonly look: Look;
}

/** The boxes in which the view is, each of which can be shown whole. */
export function Crumbs({ view, look }: CrumbsProps): ReactNode {
  const inside = boxesAround(view, look);
  if (inside.length === 0) return null;
  return (
    <nav className={classes.crumbs} aria-label="In view">
      <button type="button" onClick={() => view.fit()}>
        All
      </button>
      {inside.map((box) => (
        <button key={box.spec.key} type="button" onClick={() => view.fit(box)}>
          {box.spec.title}
        </button>
      ))}
    </nav>
  );
}

function boxesAround(view: MapView, { layout }: Look): PlacedBox[] {
  const { visible } = view;
  const middle = { x: visible.x + visible.width / 2, y: visible.y + visible.height / 2 };
  return layout.boxes.filter((box) => {
    const isLarge = box.width > visible.width * MOSTLY || box.height > visible.height * MOSTLY;
    return contains(box, middle) && isLarge && !view.isWhole;
  });
}

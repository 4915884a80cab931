import { type PointerEvent, type ReactNode, useEffect, useRef } from "react";
import { PALETTES } from "./colours.js";
import type { Look } from "./look.js";
import type { MapView } from "./map-view.js";
import classes from "./map.module.css";

const WIDTH = 168;
const MOST_HEIGHT = 120;

interface MiniMapProps {
  readonly view: MapView;
  readonly look: Look;
  /** Changes when the camera has moved. */
  readonly moves: number;
}

/** The whole map in a corner, with the part in view, while not everything is in view. */
export function MiniMap({ view, look, moves }: MiniMapProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { bounds } = look.layout;
  const scale = Math.min(WIDTH / bounds.width, MOST_HEIGHT / bounds.height);
  const isNeeded = !view.isWhole;

  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context) draw(context, look, { view, scale });
  }, [view, look, moves, scale, isNeeded]);

  if (!isNeeded) return null;

  function go(event: PointerEvent): void {
    if (event.buttons !== 1) return;
    const { left, top } = event.currentTarget.getBoundingClientRect();
    view.centre({ x: (event.clientX - left) / scale + bounds.x, y: (event.clientY - top) / scale + bounds.y });
  }

  return (
    <canvas
      ref={canvas}
      className={classes.miniMap}
      aria-hidden
      width={Math.ceil(bounds.width * scale)}
      height={Math.ceil(bounds.height * scale)}
      onPointerDown={go}
      onPointerMove={go}
    />
  );
}

function draw(context: CanvasRenderingContext2D, look: Look, { view, scale }: { view: MapView; scale: number }): void {
  const { width, height } = context.canvas;
  const palette = PALETTES[look.scheme];
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, height);
  const { bounds } = look.layout;
  context.setTransform(scale, 0, 0, scale, -bounds.x * scale, -bounds.y * scale);
  const pixel = 1 / scale;
  for (const box of look.layout.boxes) {
    if (box.spec.kind === "network") continue;
    context.fillStyle = box.spec.kind === "bar" ? palette.accent : palette.boxLine;
    context.fillRect(box.x, box.y, Math.max(pixel, box.width), Math.max(pixel, box.height));
  }
  const { visible } = view;
  context.strokeStyle = palette.accent;
  context.lineWidth = 2 * pixel;
  context.strokeRect(visible.x, visible.y, visible.width, visible.height);
  context.setTransform(1, 0, 0, 1, 0, 0);
}

import type { ReactNode } from "react";
import classes from "./picture.module.css";

const TILES = [
  { x: 20, y: 128, columns: 4, rows: 3, marked: 1 },
  { x: 164, y: 128, columns: 3, rows: 3, marked: 5 },
  { x: 280, y: 128, columns: 2, rows: 3, marked: 2 },
] as const;

const TILE = 24;
const GAP = 4;

/** A map in a few lines: a router above three subnets with their hosts. */
export function Picture(): ReactNode {
  return (
    <svg
      viewBox="0 0 352 224"
      className={classes.picture}
      role="img"
      aria-label="A map: a router above three subnets, which are boxes with a tile for each host"
    >
      <rect className={classes.box} x="122" y="8" width="108" height="32" rx="6" />
      <rect className={classes.accent} x="130" y="16" width="16" height="16" rx="4" />
      <rect className={classes.text} x="154" y="21" width="60" height="6" rx="3" />
      <path className={classes.line} d="M176 40v22M74 62h232M74 62v22M204 62v22M306 62v22" />
      {TILES.map(({ x, y, columns, rows, marked }) => (
        <g key={x}>
          <rect
            className={classes.box}
            x={x - 12}
            y={y - 44}
            width={columns * (TILE + GAP) + 20}
            height={rows * (TILE + GAP) + 52}
            rx="8"
          />
          <rect className={classes.text} x={x} y={y - 34} width={columns * 16} height="6" rx="3" />
          <rect className={classes.faint} x={x} y={y - 18} width={columns * (TILE + GAP) - GAP} height="5" rx="2.5" />
          <rect className={classes.accent} x={x} y={y - 18} width={columns * 12} height="5" rx="2.5" />
          {Array.from({ length: columns * rows }, (_, index) => (
            <rect
              key={index}
              className={index === marked ? classes.accent : classes.faint}
              x={x + (index % columns) * (TILE + GAP)}
              y={y + Math.floor(index / columns) * (TILE + GAP)}
              width={TILE}
              height={TILE}
              rx="4"
            />
          ))}
        </g>
      ))}
    </svg>
  );
}

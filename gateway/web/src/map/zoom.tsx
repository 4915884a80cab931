import { ActionIcon } from "@mantine/core";
import { Maximize, Minus, Plus } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import type { CanvasHandle } from "./canvas.js";
import classes from "./map.module.css";

const ZOOM = 1.5;

/** Buttons that zoom the map. */
export function Zoom({ canvas }: { readonly canvas: RefObject<CanvasHandle | null> }): ReactNode {
  return (
    <div className={classes.zoom}>
      <ActionIcon variant="default" size="lg" aria-label="Zoom in" onClick={() => canvas.current?.zoom(ZOOM)}>
        <Plus size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" size="lg" aria-label="Zoom out" onClick={() => canvas.current?.zoom(1 / ZOOM)}>
        <Minus size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" size="lg" aria-label="Fit to view" onClick={() => canvas.current?.fit()}>
        <Maximize size={18} aria-hidden />
      </ActionIcon>
    </div>
  );
}

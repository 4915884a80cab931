import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

// Paper is white: what is printed has the light scheme, whatever the screen has.

const SCHEME = "data-mantine-color-scheme";

/** For all that style sheets colour. */
export function printInLight(): void {
  const root = document.documentElement;
  let shown: string | null = null;
  addEventListener("beforeprint", () => {
    shown ??= root.getAttribute(SCHEME);
    root.setAttribute(SCHEME, "light");
  });
  addEventListener("afterprint", () => {
    if (shown !== null) root.setAttribute(SCHEME, shown);
    shown = null;
  });
}

/**
 * The scheme of what is drawn. The browser does not wait for drawing before it prints.
 * @param onChange after everything has the scheme of paper, and after it has that of the screen again
 */
export function useDrawnScheme(onChange?: (isPrinting: boolean) => void): "light" | "dark" {
  const scheme = useComputedColorScheme("light");
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const turn = (next: boolean) => (): void => {
      flushSync(() => setPrinting(next));
      onChange?.(next);
    };
    const before = turn(true);
    const after = turn(false);
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => {
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    };
  });
  return isPrinting ? "light" : scheme;
}

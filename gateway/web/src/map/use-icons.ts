import { useEffect, useState } from "react";
import { notifyFailure } from "../parts/toast.js";
import { createIcons, type Icons, loadMarks } from "./icons.js";

/** The icons, first without the marks of products. */
export function useIcons(): Icons {
  const [icons, setIcons] = useState(() => createIcons(null));
  useEffect(() => {
    let isGone = false;
    // Without marks, services have the icons of their categories; the first picture does not wait for them.
    afterPicture(() => {
      if (!isGone) loadMarks().then((marks) => !isGone && setIcons(createIcons(marks)), notifyFailure);
    });
    return () => {
      isGone = true;
    };
  }, []);
  return icons;
}

/** The frame after the next begins when that one is drawn. */
function afterPicture(run: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(run));
}

import { useEffect, useState } from "react";
import { notifyFailure } from "../parts/toast.js";
import { createIcons, type Icons, loadMarks } from "./icons.js";

/** The icons, first without the marks of products. */
export function useIcons(): Icons {
  const [icons, setIcons] = useState(() => createIcons(null));
  useEffect(() => {
    let isGone = false;
    // without marks, services have the icons of their categories
    loadMarks().then((marks) => !isGone && setIcons(createIcons(marks)), notifyFailure);
    return () => {
      isGone = true;
    };
  }, []);
  return icons;
}

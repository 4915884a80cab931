import type { Topology } from "@nts/shared/contract";
import { useEffect, useMemo, useState } from "react";
import { notifyFailure } from "../parts/toast.js";
import { createIcons, hasOtherMarks, type Icons, loadOtherMarks } from "./icons.js";

/** The icons, first with the marks of common products; those of others follow if the map has one. */
export function useIcons(topology: Topology): Icons {
  const [icons, setIcons] = useState(() => createIcons(null));
  const needsOthers = useMemo(() => hasOtherMarks(topology), [topology]);
  useEffect(() => {
    if (!needsOthers) return undefined;
    let isGone = false;
    // without marks, services have the icons of their categories
    loadOtherMarks().then((others) => !isGone && setIcons(createIcons(others)), notifyFailure);
    return () => {
      isGone = true;
    };
  }, [needsOthers]);
  return icons;
}

import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { askCodesBy } from "../api/confirmed.js";

const CodeWindow = lazy(() => import("./code-window.js"));

/** Prompts for a code whenever an operation requires a confirmed session. */
export function Confirmation(): ReactNode {
  const [settle, setSettle] = useState<((isGiven: boolean) => void) | null>(null);
  useEffect(() => {
    askCodesBy(() => new Promise((resolve) => setSettle(() => resolve)));
    return () => askCodesBy(null);
  }, []);
  if (settle === null) return null;
  const close = (isGiven: boolean): void => {
    setSettle(null);
    settle(isGiven);
  };
  return (
    <Suspense>
      <CodeWindow onClose={close} />
    </Suspense>
  );
}

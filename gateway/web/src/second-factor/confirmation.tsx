import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { askCodesBy } from "../api/confirmed.js";

const CodeWindow = lazy(() => import("./code-window.js"));

/** Prompts for a code whenever an operation requires a confirmed session. */
export function Confirmation(): ReactNode {
  const [answer, setAnswer] = useState<((isGiven: boolean) => void) | null>(null);
  useEffect(() => {
    askCodesBy(() => new Promise((resolve) => setAnswer(() => resolve)));
    return () => askCodesBy(null);
  }, []);
  if (answer === null) return null;
  const close = (isGiven: boolean): void => {
    setAnswer(null);
    answer(isGiven);
  };
  return (
    <Suspense>
      <CodeWindow onClose={close} />
    </Suspense>
  );
}

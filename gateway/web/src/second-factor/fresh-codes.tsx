import { lazy, type ReactNode, Suspense, useSyncExternalStore } from "react";

const RecoveryWindow = lazy(async () => ({ default: (await import("./recovery-window.js")).RecoveryWindow }));

// Recovery codes issued at sign-in are shown on the page after it.

let fresh: readonly string[] | null = null;
let listener: (() => void) | null = null;

/** Shows recovery codes after sign-in; null once they have been seen. */
export function showRecoveryCodes(codes: readonly string[] | null): void {
  fresh = codes;
  listener?.();
}

function listen(onChange: () => void): () => void {
  listener = onChange;
  return () => {
    listener = null;
  };
}

/** The window of {@link showRecoveryCodes}. */
export function FreshCodes(): ReactNode {
  const codes = useSyncExternalStore(listen, () => fresh);
  if (codes === null) return null;
  return (
    <Suspense>
      <RecoveryWindow codes={codes} onClose={() => showRecoveryCodes(null)} />
    </Suspense>
  );
}

import { type ReactNode, useSyncExternalStore } from "react";
import { RecoveryWindow } from "./recovery-window.js";

// Codes that came with a sign-in outlive the page for signing in: the window with them is on whichever page comes next.

let fresh: readonly string[] | null = null;
let listener: (() => void) | null = null;

/** Shows recovery codes once somebody is signed in; null when they have been seen. */
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

/** The window for {@link showRecoveryCodes}. */
export function FreshCodes(): ReactNode {
  const codes = useSyncExternalStore(listen, () => fresh);
  return codes !== null && <RecoveryWindow codes={codes} onClose={() => showRecoveryCodes(null)} />;
}

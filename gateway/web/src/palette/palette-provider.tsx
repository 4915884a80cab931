import { ActionIcon, VisuallyHidden } from "@mantine/core";
import { useHotkeys, useOs } from "@mantine/hooks";
import { Search } from "lucide-react";
import { createContext, lazy, type ReactNode, Suspense, useCallback, useContext, useState } from "react";
import { flushSync } from "react-dom";
import { Editor, type EditorName } from "./editors.js";
import classes from "./palette.module.css";

const Palette = lazy(() => import("./palette.js"));

const Context = createContext<() => void>(() => undefined);

interface Edited {
  readonly name: EditorName;
  readonly hostId: string;
}

/** Opens the palette by Ctrl-K or ⌘K, also while something is typed, and by its buttons; and what it makes. */
export function PaletteProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [edited, setEdited] = useState<Edited | null>(null);
  const open = useCallback(() => {
    // windows have what is typed in them, and are closed first
    if (document.querySelector("[role=dialog]") === null) setOpen(true);
  }, []);
  useHotkeys([["mod+K", open]], []);
  return (
    <Context value={open}>
      {children}
      {isOpen && (
        <Suspense>
          <Palette
            // at once, so that the focus is back before anything else takes it
            onClose={() => flushSync(() => setOpen(false))}
            onEdit={(name, hostId = "") => setEdited({ name, hostId })}
          />
        </Suspense>
      )}
      {edited !== null && <Editor {...edited} onClose={() => setEdited(null)} />}
    </Context>
  );
}

/** Opens the palette, and tells the key that does. */
export function PaletteButton(): ReactNode {
  const open = useContext(Context);
  const os = useOs();
  return (
    <button type="button" className={classes.button} onClick={open} aria-keyshortcuts="Control+K Meta+K">
      <Search size={16} aria-hidden />
      <span>
        Search<VisuallyHidden> and commands</VisuallyHidden>
      </span>
      <kbd>{os === "macos" || os === "ios" ? "⌘K" : "Ctrl K"}</kbd>
    </button>
  );
}

/** The same where there is room for a sign only. */
export function PaletteIcon(): ReactNode {
  const open = useContext(Context);
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Search and commands" onClick={open}>
      <Search size={20} aria-hidden />
    </ActionIcon>
  );
}

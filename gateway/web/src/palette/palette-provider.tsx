import { ActionIcon, VisuallyHidden } from "@mantine/core";
import { useHotkeys, useOs } from "@mantine/hooks";
import { Search } from "lucide-react";
import {
  createContext,
  type Dispatch,
  lazy,
  type ReactNode,
  type SetStateAction,
  Suspense,
  useCallback,
  useContext,
  useLayoutEffect,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { Editor, type EditorName } from "./editors.js";
import classes from "./palette.module.css";

const Palette = lazy(() => import("./palette.js"));

const Context = createContext<() => void>(() => undefined);

interface Edited {
  readonly name: EditorName;
  readonly hostId: string;
}

/** Opens the palette by Ctrl-K, ⌘K or its buttons, and the editors opened from it. */
export function PaletteProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState("");
  const [edited, setEdited] = useState<Edited | null>(null);
  const open = useCallback(() => {
    // an open window may contain input, and must be closed first
    if (document.querySelector("[role=dialog]") !== null) return;
    setText("");
    setOpen(true);
  }, []);
  useHotkeys([["mod+K", open]], []);
  useEarlyTyping(isOpen, setText);
  return (
    <Context value={open}>
      {children}
      {isOpen && (
        <Suspense>
          <Palette
            text={text}
            onText={setText}
            // synchronous, so that the focus returns before anything else takes it
            onClose={() => flushSync(() => setOpen(false))}
            onEdit={(name, hostId = "") => setEdited({ name, hostId })}
          />
        </Suspense>
      )}
      {edited !== null && <Editor {...edited} onClose={() => setEdited(null)} />}
    </Context>
  );
}

/** Keeps what is typed before the palette has loaded and its field has the focus. */
function useEarlyTyping(isOpen: boolean, onText: Dispatch<SetStateAction<string>>): void {
  useLayoutEffect(() => {
    if (!isOpen) return;
    const keep = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey } = event;
      const isText = key.length === 1 && !ctrlKey && !metaKey && !altKey;
      if (!isText || document.activeElement?.matches("[role=dialog] *") === true) return;
      event.preventDefault();
      onText((text) => text + key);
    };
    window.addEventListener("keydown", keep, true);
    return () => window.removeEventListener("keydown", keep, true);
  }, [isOpen, onText]);
}

/** The button to open the palette, with its keyboard shortcut. */
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

/** The icon variant of the button. */
export function PaletteIcon(): ReactNode {
  const open = useContext(Context);
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Search and commands" onClick={open}>
      <Search size={20} aria-hidden />
    </ActionIcon>
  );
}

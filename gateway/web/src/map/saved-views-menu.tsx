import { Button, Menu } from "@mantine/core";
import { Check, LayoutTemplate, Move } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useConfirm } from "../forms/confirm.js";
import { notifyFailure } from "../parts/toast.js";
import { useHasLevel } from "../session/session.js";
import { isArranged, UNARRANGED } from "./arrangement.js";
import type { PlacedBox } from "./layout.js";
import type { SavedViews } from "./use-saved-views.js";

// Loaded on demand, because it includes the forms library.
const NameWindow = lazy(() => import("./name-window.js"));

interface SavedViewsMenuProps {
  readonly views: SavedViews;
  /** All that there are, in the present layout. */
  readonly boxes: readonly PlacedBox[];
  readonly isArranging: boolean;
  readonly onArrange: (isArranging: boolean) => void;
  /** Opens the window of shares; absent where nobody may share. */
  readonly onShare?: (() => void) | undefined;
}

/** A view is named to be saved, to be shared after that, or anew. */
type Naming = "new" | "shared" | "present" | null;

/** What is saved of the map: to show, save, name and delete it; and to change the layout. */
export function SavedViewsMenu({ views, boxes, isArranging, onArrange, onShare }: SavedViewsMenuProps): ReactNode {
  const { all, listAll, current, isChanged, startId } = views;
  const mayWrite = useHasLevel("Member");
  const confirm = useConfirm();
  const [naming, setNaming] = useState<Naming>(null);
  const tick = (isOn: boolean): ReactNode => <Check size={14} aria-hidden opacity={isOn ? 1 : 0} />;
  const remove = (): void =>
    confirm({
      title: `Delete the view ${current?.name ?? ""}?`,
      text: "It is deleted for everyone. Links that share it end.",
      verb: "Delete",
      run: views.remove,
    });
  return (
    <>
      <Menu position="bottom-end" withinPortal onOpen={listAll}>
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<LayoutTemplate size={16} aria-hidden />}
            onPointerEnter={listAll}
            onFocus={listAll}
          >
            {current?.name ?? "Views"}
            {isChanged && " (unsaved)"}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="70vh" style={{ overflowY: "auto" }}>
          <Menu.Label>Saved views</Menu.Label>
          <Menu.Item leftSection={tick(current === null)} onClick={() => views.choose(null)}>
            Without a view
          </Menu.Item>
          {all.map((view) => (
            <Menu.Item key={view.id} leftSection={tick(view.id === current?.id)} onClick={() => views.choose(view)}>
              {view.name}
              {view.id === startId && " · starts here"}
            </Menu.Item>
          ))}
          <Menu.Divider />
          {mayWrite && current !== null && (
            <Menu.Item disabled={!isChanged} onClick={() => void views.save().catch(notifyFailure)}>
              Save
            </Menu.Item>
          )}
          {mayWrite && <Menu.Item onClick={() => setNaming("new")}>Save as…</Menu.Item>}
          {current !== null && isChanged && (
            <Menu.Item onClick={() => views.choose(current)}>Discard changes</Menu.Item>
          )}
          {mayWrite && current !== null && <Menu.Item onClick={() => setNaming("present")}>Rename…</Menu.Item>}
          {current !== null && (
            <Menu.Item onClick={() => views.setStart(current.id === startId ? null : current.id)}>
              {current.id === startId ? "Do not start with this view" : "Start with this view"}
            </Menu.Item>
          )}
          {onShare !== undefined && (
            <Menu.Item onClick={current === null ? () => setNaming("shared") : onShare}>Share…</Menu.Item>
          )}
          {mayWrite && current !== null && (
            <Menu.Item color="red" onClick={remove}>
              Delete…
            </Menu.Item>
          )}
          <LayoutItems {...{ views, boxes, isArranging, onArrange }} />
        </Menu.Dropdown>
      </Menu>
      {naming !== null && (
        <Suspense>
          <NameWindow
            views={views}
            isNew={naming !== "present"}
            onSaved={naming === "shared" ? onShare : undefined}
            onClose={() => setNaming(null)}
          />
        </Suspense>
      )}
    </>
  );
}

/** What changes the layout as a whole. */
function LayoutItems({ views, boxes, isArranging, onArrange }: Omit<SavedViewsMenuProps, "onShare">): ReactNode {
  const { arrangement, arrange } = views;
  const inner = boxes.filter(({ spec }) => spec.kind !== "network" && spec.kind !== "bar");
  const collapsed = new Set([...arrangement.collapsed, ...inner.map(({ spec }) => spec.key)]);
  return (
    <>
      <Menu.Divider />
      <Menu.Label>Layout</Menu.Label>
      <Menu.Item leftSection={<Move size={14} aria-hidden />} onClick={() => onArrange(!isArranging)}>
        {isArranging ? "Stop moving boxes" : "Move boxes and tiles"}
      </Menu.Item>
      <Menu.Item
        disabled={inner.every(({ isCollapsed }) => isCollapsed)}
        onClick={() => arrange({ ...arrangement, collapsed })}
      >
        Collapse all boxes
      </Menu.Item>
      <Menu.Item
        disabled={arrangement.collapsed.size === 0}
        onClick={() => arrange({ ...arrangement, collapsed: new Set() })}
      >
        Open all boxes
      </Menu.Item>
      <Menu.Item
        disabled={!isArranged({ ...arrangement, collapsed: new Set() })}
        onClick={() => arrange({ ...arrangement, positions: UNARRANGED.positions })}
      >
        Reset positions
      </Menu.Item>
    </>
  );
}

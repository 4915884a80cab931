import { ActionIcon, Drawer, useComputedColorScheme } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { Diff, Topology } from "@nts/shared/contract";
import { Maximize, Minus, Plus } from "lucide-react";
import {
  type ComponentProps,
  lazy,
  type ReactNode,
  type RefObject,
  Suspense,
  useCallback,
  useDeferredValue,
  useMemo,
  useRef,
  useState,
} from "react";
import { Page } from "../parts/page.js";
import { notifyFailure } from "../parts/toast.js";
import { Waiting } from "../parts/waiting.js";
import { useTags } from "../tags/tags.js";
import { Canvas, type CanvasHandle } from "./canvas.js";
import { pngOf, save, svgOf } from "./files.js";
import { type Filters, findIn, NO_FILTERS, shownIn } from "./filters.js";
import { Legend } from "./legend.js";
import { type Model, modelOf } from "./model.js";
import type { Mark } from "./past.js";
import classes from "./picture.module.css";
import { Results } from "./results.js";
import { type Scene, sceneOf } from "./scene.js";
import { Toolbar } from "./toolbar.js";
import { useLayout } from "./use-layout.js";
import { useView } from "./use-view.js";

// Loaded on demand, because few users need these.
const CardView = lazy(async () => ({ default: (await import("./card-view.js")).CardView }));
const Panel = lazy(async () => ({ default: (await import("./panel.js")).Panel }));

interface OverviewProps {
  readonly topology: Topology;
  /** The nodes of the whole topology, for a layout that does not depend on filters. */
  readonly whole: Topology;
  /** Changes since the selected time; null for the present. */
  readonly marks: ReadonlyMap<string, Mark> | null;
  readonly diff: Diff | undefined;
  /** The selected time; null for the present. */
  readonly at: string | null;
  readonly title: string;
  readonly about: string;
  readonly networkId: string | null;
  /** Selects a time. */
  readonly time: ReactNode;
  readonly isLookingBack: boolean;
  readonly onLookBack: () => void;
}

/** The map with filters, list and details of the selected node. */
export function Overview(props: OverviewProps): ReactNode {
  const { topology, whole, marks, diff, at, title, about, networkId, time, isLookingBack, onLookBack } = props;
  const scheme = useComputedColorScheme("light");
  const isNarrow = useMediaQuery("(max-width: 62em)", matchMedia("(max-width: 62em)").matches);
  const tags = useTags();
  const [search, setSearch] = useState("");
  const [filters, setFilters] = useState(NO_FILTERS);
  const [selected, setSelected] = useState<string | null>(null);
  const canvas = useRef<CanvasHandle | null>(null);
  const [view, setView] = useView();

  const model = useMemo(() => modelOf(topology), [topology]);
  const layout = useLayout(whole);
  const colouring = useMemo(() => ({ scheme, marks }), [scheme, marks]);
  const { shown, listed, found } = useFound(model, filters, search);
  const node = selected === null ? undefined : model.nodes.get(selected);

  const show = useCallback((id: string): void => {
    setSelected(id);
    canvas.current?.show(id);
  }, []);

  const panel = node !== undefined && (
    <Suspense>
      <Panel {...{ model, node, colouring, at, diff, tags }} onSelect={show} onClose={() => setSelected(null)} />
    </Suspense>
  );
  return (
    <Page
      title={title}
      about={about}
      actions={
        <Toolbar
          {...{ model, networkId, tags, search, filters, at, isLookingBack, onLookBack, view }}
          onView={setView}
          onSearch={setSearch}
          onFilter={setFilters}
          onExport={(format) => void exportAs(format, sceneOf({ model, layout, shown, colouring, title }))}
        />
      }
    >
      <div className={classes.stage} data-view={view} data-panel={(node !== undefined && !isNarrow) || undefined}>
        <div className={classes.view}>
          {view === "cards" ? (
            <Cards {...{ model, shown, found, colouring, selected }} onSelect={setSelected} />
          ) : (
            <MapView {...{ model, layout, colouring, shown, found, selected }} onSelect={setSelected} handle={canvas} />
          )}
        </div>
        {time}
        <Legend nodes={topology.nodes} colouring={colouring} isOpen={!isNarrow} />
        <div className={classes.list}>
          <Results {...{ model, colouring, selected }} nodes={listed} onSelect={show} />
        </div>
        {!isNarrow && panel}
      </div>
      <PanelDrawer isOpen={isNarrow && node !== undefined} onClose={() => setSelected(null)}>
        {isNarrow && panel}
      </PanelDrawer>
    </Page>
  );
}

async function exportAs(format: "png" | "svg", scene: Scene): Promise<void> {
  try {
    const content = format === "png" ? await pngOf(scene) : new Blob([svgOf(scene)], { type: "image/svg+xml" });
    save(content, `topology.${format}`);
  } catch (error) {
    notifyFailure(error);
  }
}

/** Ids of visible nodes, and nodes and ids of search results; null without a search. */
function useFound(model: Model, filters: Filters, search: string) {
  const shown = useMemo(() => shownIn(model, filters), [model, filters]);
  const requested = useDeferredValue(search);
  const listed = useMemo(() => findIn(model, requested).filter(({ id }) => shown.has(id)), [model, requested, shown]);
  const isSearching = requested.trim() !== "";
  const found = useMemo(() => (isSearching ? new Set(listed.map(({ id }) => id)) : null), [isSearching, listed]);
  return { shown, listed, found };
}

interface PanelDrawerProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** On screens without space next to the map. */
function PanelDrawer({ isOpen, onClose, children }: PanelDrawerProps): ReactNode {
  return (
    <Drawer.Root opened={isOpen} onClose={onClose} position="bottom" size="75%" lockScroll={false}>
      <Drawer.Overlay />
      <Drawer.Content aria-label="Details" className={classes.drawer ?? ""}>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

function Cards(props: ComponentProps<typeof CardView>): ReactNode {
  return (
    <Suspense fallback={<Waiting />}>
      <CardView {...props} />
    </Suspense>
  );
}

function MapView(props: ComponentProps<typeof Canvas>): ReactNode {
  return (
    <>
      <Canvas {...props} />
      <Zoom canvas={props.handle} />
    </>
  );
}

function Zoom({ canvas }: { readonly canvas: RefObject<CanvasHandle | null> }): ReactNode {
  return (
    <div className={classes.zoom}>
      <ActionIcon variant="default" size="lg" aria-label="Zoom in" onClick={() => canvas.current?.zoom("in")}>
        <Plus size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" size="lg" aria-label="Zoom out" onClick={() => canvas.current?.zoom("out")}>
        <Minus size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" size="lg" aria-label="Fit to view" onClick={() => canvas.current?.fit()}>
        <Maximize size={18} aria-hidden />
      </ActionIcon>
    </div>
  );
}

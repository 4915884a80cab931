import { Button, Drawer } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { Diff, Topology, TopologyNode } from "@nts/shared/contract";
import { lazy, type ReactNode, Suspense, useCallback, useDeferredValue, useMemo, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { Page } from "../parts/page.js";
import { useDrawnScheme } from "../parts/printing.js";
import { notifyFailure } from "../parts/toast.js";
import { hostPath, servicePath, subnetPath } from "../paths.js";
import { useHasLevel } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { type KnownTags, useTags } from "../tags/tags.js";
import { withCollapsed, withPosition } from "./arrangement.js";
import type { Names } from "./boxes.js";
import { Canvas, type CanvasHandle } from "./canvas.js";
import type { Format } from "./files.js";
import { findIn, shownIn } from "./filters.js";
import { around, type Rect } from "./geometry.js";
import { Lacking } from "./lacking.js";
import { Legend } from "./legend.js";
import type { Look } from "./look.js";
import { Matches } from "./matches.js";
import { hostIdOf, type Model, modelOf } from "./model.js";
import { neighboursOf } from "./neighbours.js";
import type { Mark } from "./past.js";
import classes from "./map.module.css";
import { placeOfNode } from "./places.js";
import { linksBeside, usesOf, withUses } from "./relations.js";
import { Results } from "./results.js";
import { type Extent, Toolbar } from "./toolbar.js";
import { useIcons } from "./use-icons.js";
import { useLayout } from "./use-layout.js";
import { useNeeds } from "./use-needs.js";
import { type MapState, useMapState } from "./use-map-state.js";
import { SavedViewsMenu } from "./saved-views-menu.js";
import { useSavedViews } from "./use-saved-views.js";
import { Views } from "./views.js";
import { Zoom } from "./zoom.js";

// Loaded on demand, because few users need them at once.
const Panel = lazy(async () => ({ default: (await import("./panel.js")).Panel }));
const SharesWindow = lazy(async () => ({ default: (await import("./shares-window.js")).SharesWindow }));

interface OverviewProps {
  readonly topology: Topology;
  /** The nodes of the whole topology, for a layout that does not depend on filters. */
  readonly whole: Topology;
  /** Changes since the selected time; null for the present. */
  readonly marks: ReadonlyMap<string, Mark> | null;
  readonly diff: Diff | undefined;
  /** The selected time; null for the later one. */
  readonly at: string | null;
  /** The time with which it is compared; null for the present. */
  readonly to: string | null;
  readonly title: string;
  readonly about: string;
  readonly networkId: string | null;
  /** Instead of the map, until what its tab shows is there. */
  readonly waiting: ReactNode;
  /** Selects a time. */
  readonly time: ReactNode;
  readonly isLookingBack: boolean;
  readonly onLookBack: () => void;
}

const NARROW = "screen and (max-width: 62em)";
/** Pixels of the panel over the map. */
const PANEL_WIDTH = 336;

/** The map with its views, filters, list and details of the selected node. */
export function Overview(props: OverviewProps): ReactNode {
  const { topology, whole, marks, diff, at, to, title, about, networkId, time, waiting } = props;
  const { isLookingBack, onLookBack } = props;
  const isNarrow = useMediaQuery(NARROW, matchMedia(NARROW).matches);
  const tags = useTags();
  const state = useMapState();
  const { view, search, filters, selected, select } = state;
  const canvas = useRef<CanvasHandle | null>(null);
  const scheme = useDrawnScheme((isPrinting) => canvas.current?.print(isPrinting));
  const navigate = useNavigate();

  const [isArranging, setArranging] = useState(false);
  const views = useSavedViews(state);
  const mayShare = useHasLevel("Admin");
  const [isSharing, setSharing] = useState(false);
  const { arrangement, arrange } = views;

  const model = useMemo(() => modelOf(topology), [topology]);
  const layout = useLayout(view, whole, useNames(tags), arrangement);
  const icons = useIcons(topology);
  const { shown, listed, found } = useFound(model, state);
  const node = selected === null ? undefined : model.nodes.get(selected);
  const needs = useNeeds(view === "services" ? node : undefined, at ?? to, diff);
  const lifted = useMemo(
    () => (node === undefined ? found : withUses(neighboursOf(model, node.id), needs.dependencies)),
    [model, node, found, needs],
  );
  const relations = useMemo(
    () => [...linksBeside(model, node?.id ?? null), ...usesOf(needs.dependencies, needs.since)],
    [model, node, needs],
  );
  const look = useMemo(
    (): Look => ({ model, layout, icons, scheme, shown, lifted, selected: node?.id ?? null, relations, marks }),
    [model, layout, icons, scheme, shown, lifted, node, relations, marks],
  );

  const show = useCallback(
    (id: string): void => {
      select(id);
      canvas.current?.show(id);
    },
    [select],
  );
  const open = (id: string): void => void navigate(pathOf(model, id));

  const partOf = (extent: Extent): Rect => {
    const { bounds } = layout;
    if (extent === "visible") return canvas.current?.visible() ?? bounds;
    if (extent === "whole" || lifted === null) return bounds;
    const places = [...lifted].flatMap((id) => placeOfNode(layout, model, id) ?? []);
    return around(places) ?? bounds;
  };

  const panel = node !== undefined && (
    <Suspense>
      <Panel {...{ model, node, scheme, marks, at, to, diff, tags }} onSelect={show} onClose={() => select(null)} />
    </Suspense>
  );
  return (
    <Page
      title={title}
      about={about}
      actions={
        <Toolbar
          {...{ model, networkId, tags, filters, isLookingBack, onLookBack }}
          at={at ?? to}
          search={search}
          onSearch={state.setSearch}
          onFilter={state.setFilters}
          onExport={(format, extent) => void exportAs(format, look, { title, part: partOf(extent) })}
          hasLifted={lifted !== null && lifted.size > 0}
          views={
            <SavedViewsMenu
              {...{ views, isArranging }}
              boxes={layout.boxes}
              onArrange={setArranging}
              onShare={mayShare ? () => setSharing(true) : undefined}
            />
          }
        />
      }
    >
      <Views view={view} onView={state.setView} />
      <div className={classes.stage} data-fills-window>
        <div className={classes.view}>
          {waiting ?? (
            <Canvas
              look={look}
              handle={canvas}
              onSelect={select}
              onOpen={open}
              isArranging={isArranging}
              onMove={(key, at) => arrange(withPosition(arrangement, key, at))}
              onCollapse={(key, isCollapsed) => arrange(withCollapsed(arrangement, key, isCollapsed))}
              covered={node !== undefined && !isNarrow ? PANEL_WIDTH : 0}
            />
          )}
          {waiting === null && !isLookingBack && !isArranging && <Lacking view={view} model={model} />}
          {found !== null && <Matches found={listed} all={shown.size} selected={selected} onShow={show} />}
          <Zoom canvas={canvas} />
          {isArranging && (
            <div className={classes.note}>
              Drag boxes and tiles to where they belong.
              <Button size="compact-sm" onClick={() => setArranging(false)}>
                Done
              </Button>
            </div>
          )}
          {!isNarrow && panel}
        </div>
        {time}
        <Legend look={look} isOpen={!isNarrow} />
        <div className={classes.list}>
          <Results {...{ model, scheme, marks, selected }} nodes={listed} onSelect={show} />
        </div>
      </div>
      {isSharing && views.current !== null && (
        <Suspense>
          <SharesWindow view={views.current} isChanged={views.isChanged} at={at} onClose={() => setSharing(false)} />
        </Suspense>
      )}
      <PanelDrawer isOpen={isNarrow && node !== undefined} onClose={() => select(null)}>
        {isNarrow && panel}
      </PanelDrawer>
    </Page>
  );
}

function pathOf({ nodes }: Model, id: string): string {
  const kind = nodes.get(id)?.kind ?? "subnet";
  return { subnet: subnetPath, host: hostPath, service: servicePath }[kind](id);
}

function useNames(tags: KnownTags): Names {
  const { nameOf } = useNetworkScope();
  return useMemo(
    () => ({
      networkOf: nameOf,
      tagOf: (tag) => {
        const color = tags.tagOf(tag)?.color ?? "";
        return { name: tags.nameOf(tag), color: CSS.supports("color", color) ? color : null };
      },
    }),
    [nameOf, tags],
  );
}

async function exportAs(format: Format, look: Look, picture: { title: string; part: Rect }): Promise<void> {
  try {
    const { fileOf, save } = await import("./files.js");
    save(await fileOf(format, look, picture), `topology.${format}`);
  } catch (error) {
    notifyFailure(error);
  }
}

/** Ids of visible nodes, and nodes and ids of search results; null without a search. */
function useFound(
  model: Model,
  { filters, search }: MapState,
): { shown: ReadonlySet<string>; listed: readonly TopologyNode[]; found: ReadonlySet<string> | null } {
  const shown = useMemo(() => shownIn(model, filters), [model, filters]);
  const requested = useDeferredValue(search);
  const listed = useMemo(() => findIn(model, requested).filter(({ id }) => shown.has(id)), [model, requested, shown]);
  const isSearching = requested.trim() !== "";
  // a service stands out through its host, too
  const found = useMemo(
    () => (isSearching ? new Set(listed.flatMap((node) => [node.id, hostIdOf(node) ?? node.id])) : null),
    [isSearching, listed],
  );
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
    <Drawer.Root opened={isOpen} onClose={onClose} position="bottom" size="60%" lockScroll={false}>
      <Drawer.Overlay />
      <Drawer.Content aria-label="Details" className={classes.drawer ?? ""}>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

import { createView, deleteView, getView, listViews, updateView } from "@nts/shared/contract";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useOne, useRows, useSend } from "../api/queries.js";
import { notifySuccess } from "../parts/toast.js";
import { useSession } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { type Arrangement, isArranged, UNARRANGED } from "./arrangement.js";
import type { View } from "./boxes.js";
import { contentOf, isSamePicture, type Picture, pictureOf, type SavedView } from "./saved-view.js";
import type { MapState } from "./use-map-state.js";

/** In the menu. */
const MOST_LISTED = 100;

export interface SavedViews {
  /** Of the network and the organization, by name; none until {@link listAll}. */
  readonly all: readonly SavedView[];
  readonly listAll: () => void;
  readonly current: SavedView | null;
  /** What is shown differs from the saved view; without one, that something was moved or collapsed. */
  readonly isChanged: boolean;
  /** What people have changed in the layout of what is shown. */
  readonly arrangement: Arrangement;
  readonly arrange: (next: Arrangement) => void;
  /** Shows a view as it was saved; null for the map without one. */
  readonly choose: (view: SavedView | null) => void;
  readonly save: () => Promise<void>;
  /** @param networkId null for a view of the whole organization */
  readonly saveAs: (name: string, networkId: string | null) => Promise<void>;
  readonly rename: (name: string) => Promise<void>;
  readonly remove: () => Promise<void>;
  /** The view with which the map of the network begins, in this browser. */
  readonly startId: string | null;
  readonly setStart: (id: string | null) => void;
}

/** Unsaved changes of the layout, for each tab. */
interface Draft {
  readonly of: string | null;
  readonly arrangements: Partial<Readonly<Record<View, Arrangement>>>;
}

/** The saved views of a network, and changes of the one that is shown. */
export function useSavedViews(state: MapState): SavedViews {
  const { networkId, choose: chooseNetwork } = useNetworkScope();
  const { saved, view: tab, search, filters } = state;
  const query = { limit: MOST_LISTED, order_by: "name", ...(networkId !== null && { network_id: networkId }) } as const;
  const [isListed, setListed] = useState(false);
  const all = useRows(listViews, { query }, { enabled: isListed }).data?.data ?? [];
  const listAll = useCallback(() => setListed(true), []);
  const read = useOne(getView, { params: { id: saved ?? "" } }, { enabled: saved !== null });
  const current = saved === null ? null : (read.data?.data ?? null);
  const [draft, setDraft] = useState<Draft>({ of: saved, arrangements: {} });
  const drafted = draft.of === saved ? draft.arrangements[tab] : undefined;
  const before = useMemo(() => (current === null ? null : pictureOf(current)), [current]);
  const arrangement = drafted ?? (before?.view === tab ? before.arrangement : UNARRANGED);
  const picture: Picture = { view: tab, search, filters, arrangement };
  const [startId, setStart] = useStart(networkId);
  useFirstView(state, { startId, before, isMissing: read.error !== null });

  const arrange = useCallback(
    (next: Arrangement) =>
      setDraft(({ of, arrangements }) => ({
        of: saved,
        arrangements: { ...(of === saved && arrangements), [tab]: next },
      })),
    [saved, tab],
  );
  const choose = (next: SavedView | null): void => {
    setDraft({ of: next?.id ?? null, arrangements: {} });
    const place = next?.network_id ?? null;
    if (place !== null && networkId !== null && place !== networkId) chooseNetwork(place);
    state.show(next === null ? { ...picture, search: "", filters: NOTHING } : pictureOf(next), next?.id ?? null);
  };

  return {
    ...{ all, listAll, current, arrangement, arrange, choose, startId, setStart },
    isChanged: before === null ? saved === null && isArranged(arrangement) : !isSamePicture(before, picture),
    ...useWrites({ current, etag: read.data?.etag ?? null, picture, choose, state }),
  };
}

const NOTHING: MapState["filters"] = { tags: [], categories: [], subnets: [], vlans: [], withHidden: false };

interface Writing {
  readonly current: SavedView | null;
  readonly etag: string | null;
  readonly picture: Picture;
  readonly choose: SavedViews["choose"];
  readonly state: MapState;
}

function useWrites({ current, etag, picture, choose, state }: Writing) {
  const send = useSend();
  const write = async (
    changes: Partial<ReturnType<typeof contentOf>> & { readonly name?: string },
  ): Promise<SavedView> => {
    if (current === null) throw new Error("no view is shown");
    const { id, name, tags } = current;
    const body = { name, tags, ...changes };
    return send(updateView, { params: { id }, body, ...(etag !== null && { ifMatch: etag }) });
  };
  return {
    save: async () => {
      await write(contentOf(picture));
      notifySuccess("The view is saved.");
    },
    saveAs: async (name: string, networkId: string | null) => {
      const made = await send(createView, { body: { name, network_id: networkId, ...contentOf(picture) } });
      choose(made);
    },
    rename: async (name: string) => {
      await write({ name });
    },
    remove: async () => {
      if (current === null) return;
      state.show(picture, null);
      await send(deleteView, { params: { id: current.id } });
    },
  };
}

/** The id of the view with which the map of a network begins, kept per user in the browser. */
function useStart(networkId: string | null): readonly [string | null, (id: string | null) => void] {
  const key = `nts-view-${useSession().user.id}-${networkId ?? "all"}`;
  const [, setChanges] = useState(0);
  const set = (id: string | null): void => {
    if (id === null) localStorage.removeItem(key);
    else localStorage.setItem(key, id);
    setChanges((count) => count + 1);
  };
  return [localStorage.getItem(key), set];
}

interface First {
  readonly startId: string | null;
  /** The saved view in the URL, once it is loaded. */
  readonly before: Picture | null;
  readonly isMissing: boolean;
}

/** A link to a saved view shows it as it was saved, and a map without any choice begins with the chosen one. */
function useFirstView(state: MapState, { startId, before, isMissing }: First): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    if (state.isChosen || (state.saved === null && startId === null) || isMissing) isDone.current = true;
    else if (state.saved === null) state.show(state, startId);
    else if (before !== null) {
      isDone.current = true;
      state.show(before, state.saved);
    }
  }, [state, startId, before, isMissing]);
}

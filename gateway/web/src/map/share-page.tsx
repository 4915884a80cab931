import { Text, Title } from "@mantine/core";
import { ApiError, createClient } from "@nts/shared/client";
import { getSharedView, type SharedView } from "@nts/shared/contract";
import { useQuery } from "@tanstack/react-query";
import { Link2Off } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { isTransient } from "../api/failure.js";
import { EmptyState } from "../parts/empty-state.js";
import { FailureState } from "../parts/failure-state.js";
import { useDrawnScheme } from "../parts/printing.js";
import { Waiting } from "../parts/waiting.js";
import { withCollapsed } from "./arrangement.js";
import type { Names } from "./boxes.js";
import { Canvas, type CanvasHandle } from "./canvas.js";
import { Legend } from "./legend.js";
import type { Look } from "./look.js";
import { linksBeside } from "./relations.js";
import { type Model, modelOf } from "./model.js";
import { neighboursOf } from "./neighbours.js";
import classes from "./map.module.css";
import { Results } from "./results.js";
import { pictureOf } from "./saved-view.js";
import { SharedPanel } from "./shared-panel.js";
import { useIcons } from "./use-icons.js";
import { useLayout } from "./use-layout.js";
import { Zoom } from "./zoom.js";

/** Milliseconds between reads of a picture that may change. */
const EVERY_MS = 60_000;

/** What a share shows, for people without an account. Its secret follows the `#`, which no server is sent. */
export default function SharePage(): ReactNode {
  const secret = useSecret();
  const { data, error, refetch } = useQuery({
    queryKey: ["share", secret],
    queryFn: ({ signal }) => createClient({ baseUrl: "", apiKey: secret, retries: 1 }).call(getSharedView, { signal }),
    retry: (count, failure) => count < 3 && isTransient(failure),
    refetchInterval: ({ state }) => (state.data?.at === null ? EVERY_MS : false),
  });
  useEffect(() => {
    document.title = `${data?.view.name ?? "Shared view"} · Network topology`;
  }, [data]);
  if (hasEnded(error)) return <Ended />;
  if (data !== undefined) return <SharedMap shared={data} />;
  return error === null ? <Waiting page /> : <FailureState page error={error} onRetry={() => void refetch()} />;
}

/** Follows the fragment, because opening another link to the same page does not load it again. */
function useSecret(): string {
  const [secret, setSecret] = useState(() => location.hash.slice(1));
  useEffect(() => {
    const read = (): void => setSecret(location.hash.slice(1));
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return secret;
}

/** Refused, deleted, or its moment is no longer retained. */
const ENDED: readonly number[] = [401, 403, 404, 410];

function hasEnded(error: unknown): boolean {
  return error instanceof ApiError && ENDED.includes(error.status);
}

function Ended(): ReactNode {
  return (
    <main>
      <EmptyState page icon={Link2Off} title="This link has ended">
        It has expired, or the people who shared it have ended it. Ask them for another one.
      </EmptyState>
    </main>
  );
}

const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

function SharedMap({ shared }: { readonly shared: SharedView }): ReactNode {
  const { view, network_name: networkName, at, tags, topology } = shared;
  const canvas = useRef<CanvasHandle | null>(null);
  const scheme = useDrawnScheme((isPrinting) => canvas.current?.print(isPrinting));
  const [selected, select] = useState<string | null>(null);
  const picture = useMemo(() => pictureOf({ ...view, filters: NO_FILTERS }), [view]);
  const [arrangement, arrange] = useState(picture.arrangement);
  const model = useMemo(() => modelOf(topology), [topology]);
  const names = useMemo(
    (): Names => ({
      networkOf: () => networkName,
      tagOf: (tag) => {
        const { name, color } = tags.find(({ id }) => id === tag) ?? { name: tag, color: null };
        return { name, color: CSS.supports("color", color ?? "") ? color : null };
      },
    }),
    [networkName, tags],
  );
  const layout = useLayout(picture.view, topology, names, arrangement);
  const look = useLook({ model, layout, scheme, selected });
  const node = selected === null ? undefined : model.nodes.get(selected);
  const show = useCallback((id: string): void => {
    select(id);
    canvas.current?.show(id);
  }, []);
  return (
    <main className={classes.shared}>
      <header>
        <Title order={1}>{view.name}</Title>
        <Text c="dimmed" size="sm">
          {networkName}
          {at !== null && `, as it was on ${when.format(new Date(at))}`}
        </Text>
      </header>
      <div className={classes.stage}>
        <div className={classes.view}>
          <Canvas
            look={look}
            handle={canvas}
            onSelect={select}
            onOpen={show}
            isArranging={false}
            onMove={() => undefined}
            onCollapse={(key, isCollapsed) => arrange(withCollapsed(arrangement, key, isCollapsed))}
            covered={0}
          />
          <Zoom canvas={canvas} />
          {node !== undefined && <SharedPanel model={model} node={node} onClose={() => select(null)} />}
        </div>
        <Legend look={look} isOpen={false} />
        <div className={classes.list}>
          <Results {...{ model, scheme, selected }} marks={null} nodes={model.ordered} onSelect={show} />
        </div>
      </div>
    </main>
  );
}

/** The server has left out what they exclude. */
const NO_FILTERS = { search: "", tags: [], categories: [], subnets: [], vlans: [], with_hidden: true };

interface Parts extends Pick<Look, "layout" | "scheme" | "selected"> {
  readonly model: Model;
}

function useLook({ model, layout, scheme, selected }: Parts): Look {
  const icons = useIcons(model.topology);
  const shown = useMemo(() => new Set(model.nodes.keys()), [model]);
  const lifted = useMemo(() => (selected === null ? null : neighboursOf(model, selected)), [model, selected]);
  const relations = useMemo(() => linksBeside(model, selected), [model, selected]);
  return useMemo(
    () => ({ model, layout, icons, scheme, shown, lifted, selected, relations, marks: null }),
    [model, layout, icons, scheme, shown, lifted, selected, relations],
  );
}

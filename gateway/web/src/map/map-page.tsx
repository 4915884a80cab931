import { Button } from "@mantine/core";
import { getTopology, type Topology } from "@nts/shared/contract";
import { FileUp, History, Server, Waypoints } from "lucide-react";
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import { Link } from "react-router";
import { useOne } from "../api/queries.js";
import { EmptyState } from "../parts/empty-state.js";
import { FailureState } from "../parts/failure-state.js";
import { Page } from "../parts/page.js";
import { Waiting } from "../parts/waiting.js";
import { PATHS } from "../paths.js";
import { useHasLevel } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { Overview } from "./overview.js";
import { compared, NOTHING, unionOf, withLinks, withoutLooseEnds } from "./past.js";
import { summaryOf, summaryOfMarks } from "./summary.js";
import { useMapState } from "./use-map-state.js";
import { useMoments, usePast, useSteps } from "./use-past.js";

// Loaded when somebody looks back.
const TimeBar = lazy(async () => ({ default: (await import("./time-bar.js")).TimeBar }));

/** The topology of the selected network, or of all networks. */
export default function MapPage(): ReactNode {
  const { networkId, nameOf } = useNetworkScope();
  const title = networkId === null ? "Topology" : nameOf(networkId);
  const scope = networkId === null ? {} : { network_id: networkId };
  const { data, error, refetch } = useOne(getTopology, { query: scope });
  const hasLinks = useMapState().view === "links";
  const links = useOne(getTopology, { query: { ...scope, layer: "l2" } }, { enabled: hasLinks });
  const l2 = hasLinks ? links.data?.data : NOTHING;
  const now = useMemo(() => (data === undefined ? undefined : withLinks(data.data, l2 ?? NOTHING)), [data, l2]);
  if (now === undefined)
    return (
      <Page title={title}>
        {error === null ? <Waiting /> : <FailureState error={error} onRetry={() => void refetch()} />}
      </Page>
    );
  const waiting =
    l2 !== undefined ? null : links.error === null ? (
      <Waiting />
    ) : (
      <FailureState error={links.error} onRetry={() => void links.refetch()} />
    );
  return <MapInTime key={networkId} {...{ now, title, networkId, hasLinks, waiting }} />;
}

interface MapInTimeProps {
  readonly now: Topology;
  readonly title: string;
  readonly networkId: string | null;
  /** Whether links are shown. */
  readonly hasLinks: boolean;
  /** Instead of the map, until what its tab shows is there. */
  readonly waiting: ReactNode;
}

/** The topology now, or at the time given in the URL. */
function MapInTime({ now, title, networkId, hasLinks, waiting }: MapInTimeProps): ReactNode {
  const moments = useMoments();
  const { at, to } = moments;
  const isPast = at !== null || to !== null;
  const [isOpen, setOpen] = useState(isPast);
  const isLookingBack = isOpen || isPast;
  const { steps, deleted, ...reading } = useSteps(networkId, isLookingBack);
  const past = usePast(moments, networkId, hasLinks);
  const [seen, setSeen] = useState(NOTHING);
  const { then, end, diff } = past;
  const last = end?.topology ?? now;
  const all = useMemo(() => {
    const states = [then, end].flatMap((state) => state?.topology ?? []);
    return states.length === 0 ? seen : [now, deleted, ...states].reduce(unionOf, seen);
  }, [seen, now, deleted, then, end]);
  // nodes that were visible keep their positions, and do not move others
  if (all !== seen) setSeen(all);
  const whole = useMemo(() => (isLookingBack ? withoutLooseEnds(unionOf(now, seen)) : now), [isLookingBack, now, seen]);
  const drawn = useMemo(
    () => (then === undefined ? null : compared(then.topology, last, then.at, diff)),
    [then, last, diff],
  );
  const lookBack = (): void => {
    setOpen(!isLookingBack);
    if (isPast) moments.leave();
  };
  const time = isLookingBack && (
    <Suspense>
      <TimeBar
        steps={steps}
        isLoading={reading.isLoading || past.isLoading}
        error={past.error ?? reading.error}
        moments={moments}
        summary={drawn === null ? "" : summaryOfMarks(drawn.marks, to === null)}
      />
    </Suspense>
  );
  const topology = drawn?.topology ?? last;
  if (topology.nodes.length === 0)
    return (
      <Page title={title}>
        {time}
        <Nothing onLookBack={isLookingBack ? null : lookBack} />
      </Page>
    );
  return (
    <Overview
      topology={topology}
      whole={whole}
      marks={drawn?.marks ?? null}
      diff={diff}
      at={then?.at ?? null}
      to={end?.at ?? null}
      title={title}
      about={summaryOf(then?.topology ?? last)}
      networkId={networkId}
      time={time}
      waiting={waiting}
      isLookingBack={isLookingBack}
      onLookBack={lookBack}
    />
  );
}

/** @param onLookBack null if a time is already selected */
function Nothing({ onLookBack }: { readonly onLookBack: (() => void) | null }): ReactNode {
  const mayImport = useHasLevel("Member");
  return (
    <EmptyState
      icon={Waypoints}
      title="Nothing to show"
      actions={
        <>
          {mayImport && (
            <Button component={Link} to={PATHS.importScan} leftSection={<FileUp size={16} aria-hidden />}>
              Import
            </Button>
          )}
          <Button component={Link} to={PATHS.hosts} variant="default" leftSection={<Server size={16} aria-hidden />}>
            Go to hosts
          </Button>
          {onLookBack !== null && (
            <Button variant="default" leftSection={<History size={16} aria-hidden />} onClick={onLookBack}>
              Look back
            </Button>
          )}
        </>
      }
    >
      The topology shows subnets, hosts and services. Import an nmap scan, or add hosts manually.
    </EmptyState>
  );
}

import { type Dependency, type Diff, listDependencies, type TopologyNode } from "@nts/shared/contract";
import { useMemo } from "react";
import { useRows } from "../api/queries.js";
import { hostIdOf } from "./model.js";
import { needsOf, sinceThen } from "./relations.js";

/** Maximum shown at once. */
const MOST = 1_000;

const NONE: readonly Dependency[] = [];

interface Needs {
  /** What the node uses and by what it is used; with a time, at that time and those that came after it. */
  readonly dependencies: readonly Dependency[];
  readonly since: ReturnType<typeof sinceThen>;
}

/** @param at the selected time; null for the present */
export function useNeeds(node: TopologyNode | undefined, at: string | null, diff: Diff | undefined): Needs {
  const hostId = node === undefined ? null : hostIdOf(node);
  const query = { host_id: hostId ?? "", limit: MOST, ...(at !== null && { as_of: at }) };
  const { data, isPlaceholderData } = useRows(listDependencies, { query }, { enabled: hostId !== null });
  return useMemo(() => {
    const since = sinceThen(diff);
    if (node === undefined || hostId === null || data === undefined || isPlaceholderData)
      return { dependencies: NONE, since };
    const added = since.added.filter(({ client, server }) => client.host_id === hostId || server.host_id === hostId);
    return { dependencies: needsOf(node, [...data.data, ...added]), since };
  }, [node, hostId, data, isPlaceholderData, diff]);
}

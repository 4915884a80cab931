import type { Change } from "@nts/shared/contract";
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { SESSION_KEY } from "../api/session-key.js";
import { useSessionQuery } from "../session/session.js";
import { createFollower, type Follower } from "./follower.js";
import { createRefetching } from "./refetching.js";

const Context = createContext<Follower | null>(null);

/** Keeps the console up to date during a session. */
export function LiveProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const queries = useQueryClient();
  const [follower] = useState(createFollower);
  const hasEnded = useSessionQuery().data === null;
  useEffect(() => {
    const { watcher, stop } = createRefetching(queries);
    const unwatch = follower.watch(watcher);
    return () => {
      unwatch();
      stop();
    };
  }, [follower, queries]);
  useEffect(
    () => (hasEnded ? undefined : follower.start(() => queries.setQueryData(SESSION_KEY, null))),
    [follower, queries, hasEnded],
  );
  return <Context value={follower}>{children}</Context>;
}

export function useFollower(): Follower {
  const follower = useContext(Context);
  if (follower === null) throw new Error("LiveProvider is missing.");
  return follower;
}

/** Recent changes, oldest first; rerenders when there are more. */
export function useRecentChanges(): readonly Change[] {
  const { watch, recent } = useFollower();
  return useSyncExternalStore(watch, recent);
}

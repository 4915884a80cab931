import { listNetworks, type Network } from "@nts/shared/contract";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { useRows } from "../api/queries.js";
import { useSession } from "../session/session.js";

/** The network to which lists and map are restricted. */
export interface NetworkScope {
  /** All visible to the caller, by name; empty until loaded. */
  readonly networks: readonly Network[];
  readonly isLoaded: boolean;
  readonly error: Error | null;
  /** Null for all. */
  readonly networkId: string | null;
  readonly choose: (networkId: string | null) => void;
  readonly nameOf: (networkId: string) => string;
}

const Context = createContext<NetworkScope | null>(null);

const storageKey = (userId: string): string => `nts-network-${userId}`;

/** Reads the networks, and stores the selection per user in the browser. */
export function NetworkScopeProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const key = storageKey(useSession().user.id);
  const { data, error } = useRows(listNetworks, { query: { limit: 1000, order_by: "name" } });
  const [chosen, setChosen] = useState(() => localStorage.getItem(key));
  const value = useMemo((): NetworkScope => {
    const networks = data?.data ?? [];
    const names = new Map(networks.map(({ id, name }) => [id, name]));
    return {
      networks,
      isLoaded: data !== undefined,
      error,
      networkId: chosen !== null && names.has(chosen) ? chosen : null,
      choose: (networkId) => {
        setChosen(networkId);
        if (networkId === null) localStorage.removeItem(key);
        else localStorage.setItem(key, networkId);
      },
      nameOf: (networkId) => names.get(networkId) ?? "–",
    };
  }, [data, error, chosen, key]);
  return <Context value={value}>{children}</Context>;
}

export function useNetworkScope(): NetworkScope {
  const scope = useContext(Context);
  if (scope === null) throw new Error("NetworkScopeProvider is missing.");
  return scope;
}

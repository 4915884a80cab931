import type { ReactNode } from "react";
import { Navigate } from "react-router";
import { PATHS } from "../paths.js";
import { FailureState } from "../parts/failure-state.js";
import { Waiting } from "../parts/waiting.js";
import { useNetworkScope } from "../scope/networks.js";

/** The start page: the map, or a guide if there are no networks. */
export function Home(): ReactNode {
  const { networks, isLoaded, error } = useNetworkScope();
  if (error !== null && !isLoaded) return <FailureState error={error} />;
  // A followed link whose page is still loading takes precedence.
  if (!isLoaded || window.location.pathname !== PATHS.home) return <Waiting />;
  return <Navigate to={networks.length === 0 ? PATHS.welcome : PATHS.topology} replace />;
}

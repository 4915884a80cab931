import { Text } from "@mantine/core";
import { getServiceImpact } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useOne } from "../api/queries.js";
import { NAMED, stopsText } from "./ends.js";

/** What stops with a service, as far as that is known. */
export function ServiceStops({ id }: { readonly id: string }): ReactNode {
  const impact = useOne(getServiceImpact, { params: { id }, query: { limit: NAMED } }).data?.data;
  if (impact === undefined) return null;
  const { hosts, services, processes } = impact.counts;
  const names = impact.reached.map(({ name }) => name);
  const text = stopsText(names, hosts + services + processes);
  return (
    text !== "" && (
      <Text size="sm" mt="sm">
        {text}
      </Text>
    )
  );
}

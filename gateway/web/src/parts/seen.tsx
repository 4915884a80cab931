import { Text } from "@mantine/core";
import type { Sighting } from "@nts/shared/contract/sightings";
import type { ReactNode } from "react";
import { lapse } from "./distance.js";
import { useNow } from "./now.js";
import { When } from "./when.js";

type Sighted = Partial<Sighting>;

/** When imports found something last, or for how long they have not. */
export function SeenText({ seen = null, missed_since: missed = null }: Sighted): ReactNode {
  if (missed !== null) return <NotSeen seen={seen} missed_since={missed} />;
  return seen === null ? "Never" : <When at={seen.last_at} />;
}

/** For how long imports have not found something; nothing when they do not miss it. */
export function NotSeen({ seen = null, missed_since: missed = null }: Sighted): ReactNode {
  const now = useNow();
  if (missed === null) return null;
  return (
    <Text component="span" display="block" size="xs" c="dimmed">
      not seen for {lapse(seen?.last_at ?? missed, now)}
    </Text>
  );
}

/** The look of what imports miss, and none of anything else. */
export function greyIfMissed({ missed_since: missed = null }: Sighted): { readonly c?: "dimmed" } {
  return missed === null ? {} : { c: "dimmed" };
}

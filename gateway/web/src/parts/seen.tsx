import { Text } from "@mantine/core";
import type { Sighting } from "@nts/shared/contract/sightings";
import type { ReactNode } from "react";
import { When } from "./when.js";

type Sighted = Partial<Sighting>;

/** When imports found something last, greyed where they miss it. */
export function SeenText({ seen = null, missed_since: missed = null }: Sighted): ReactNode {
  if (missed === null) return seen === null ? "Never" : <When at={seen.last_at} />;
  return (
    <Text component="span" size="sm" c="dimmed">
      missed, {seen === null ? "never seen" : <>last seen </>}
      {seen !== null && <When at={seen.last_at} />}
    </Text>
  );
}

/** The look of what imports miss, and none of anything else. */
export function greyIfMissed({ missed_since: missed = null }: Sighted): { readonly c?: "dimmed" } {
  return missed === null ? {} : { c: "dimmed" };
}

import { Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import { relativeTime } from "./relative-time.js";
import { useNow } from "./now.js";

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** A relative time, with the exact time as its tooltip. */
export function When({ at, never = "Never" }: { readonly at: string | null; readonly never?: string }): ReactNode {
  const now = useNow();
  if (at === null) return <span>{never}</span>;
  return (
    <Tooltip label={exact.format(new Date(at))}>
      <time dateTime={at}>{relativeTime(at, now)}</time>
    </Tooltip>
  );
}

import { Text } from "@mantine/core";
import { HISTORIES, type Host } from "@nts/shared/contract";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api } from "../api/client.js";
import { FOLLOWED } from "../api/queries.js";
import classes from "./hosts.module.css";
import { presenceOf, type Span } from "./presence.js";

const DAYS = 30;
const DAY_MS = 86_400_000;
const MOST = 1_000;
const STATES = { seen: "seen", missed: "not seen", unknown: "unknown" } as const;
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** When imports have found a host within the last 30 days, and when they have missed it. */
export function PresenceLine({ host }: { readonly host: Host }): ReactNode {
  const [to] = useState(() => Date.now());
  const from = to - DAYS * DAY_MS;
  const { data } = useQuery({
    queryKey: [FOLLOWED, "presence", host.id],
    queryFn: ({ signal }) => {
      const query = { entity: "Host", action: "returned", since: new Date(from).toISOString(), limit: MOST } as const;
      return api.changes(HISTORIES.Host, { params: { id: host.id }, query, signal });
    },
  });
  if (data === undefined) return null;
  const spans = presenceOf(host, data.data, { from, to });
  return (
    <div>
      <div className={classes.presence} role="img" aria-label={textOf(spans)}>
        {spans.map((span) => (
          <span
            key={span.from}
            data-state={span.state}
            style={{ flexGrow: span.to - span.from }}
            title={titleOf(span)}
          />
        ))}
      </div>
      <Text size="xs" c="dimmed">
        Last {DAYS} days
      </Text>
    </div>
  );
}

function textOf(spans: readonly Span[]): string {
  return `Last ${DAYS} days: ${spans.map(titleOf).join("; ")}`;
}

function titleOf({ state, from, to }: Span): string {
  return `${STATES[state]} from ${day.format(from)} to ${day.format(to)}`;
}

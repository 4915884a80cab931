import { Anchor, Text, type TextProps } from "@mantine/core";
import type { Sighting } from "@nts/shared/contract/sightings";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { notSeenFor } from "./relative-time.js";
import { useNow } from "./now.js";
import { When } from "./when.js";

type Sighted = Partial<Sighting>;

/** When imports last found an entity, or how long they have missed it. */
export function SeenText({ seen = null, missed_since: missed = null }: Sighted): ReactNode {
  if (missed !== null) return <NotSeen seen={seen} missed_since={missed} />;
  return seen === null ? "Never" : <When at={seen.last_at} />;
}

/** How long imports have missed an entity; nothing if they have not. */
export function NotSeen({ seen = null, missed_since: missed = null }: Sighted): ReactNode {
  const now = useNow();
  if (missed === null) return null;
  return (
    <Text component="span" display="block" size="xs" c="dimmed">
      {notSeenFor(seen?.last_at ?? missed, now)}
    </Text>
  );
}

interface SeenNameProps extends Pick<TextProps, "className" | "fw"> {
  readonly of: Sighted;
  /** Link target; absent for none. */
  readonly to?: string;
  readonly children: ReactNode;
}

/** A name; grey and with the time since it was missed, if it is missed by imports. */
export function SeenName({ of, to, children, ...given }: SeenNameProps): ReactNode {
  const isMissed = (of.missed_since ?? null) !== null;
  const look = { ...given, ...(isMissed && { c: "dimmed" }) };
  return (
    <>
      {to === undefined ? (
        <Text component="span" inherit {...look}>
          {children}
        </Text>
      ) : (
        <Anchor component={Link} to={to} size="sm" {...look}>
          {children}
        </Anchor>
      )}
      <NotSeen {...of} />
    </>
  );
}

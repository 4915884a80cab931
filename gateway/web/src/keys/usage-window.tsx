import { Modal, Stack, Text } from "@mantine/core";
import { getKeyUsage, type KeyUsageDay, type UserApiKey } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useOne } from "../api/queries.js";
import { FactList } from "../parts/fact-list.js";
import { FailureState } from "../parts/failure-state.js";
import { Waiting } from "../parts/waiting.js";
import classes from "./usage-window.module.css";

const DATE = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });
/** SVG units. */
const HEIGHT = 48;
const STEP = 10;

interface UsageWindowProps {
  readonly apiKey: UserApiKey;
  readonly onClose: () => void;
}

/** Daily usage of a key, and its client addresses. */
export function UsageWindow({ apiKey: { id, name }, onClose }: UsageWindowProps): ReactNode {
  const { data, error, refetch } = useOne(getKeyUsage, { params: { id } });
  return (
    <Modal opened onClose={onClose} title={`Usage of ${name}`} closeButtonProps={{ "aria-label": "Close" }}>
      {data === undefined ? (
        error === null ? (
          <Waiting />
        ) : (
          <FailureState error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Usage days={data.data.days} />
      )}
    </Modal>
  );
}

function Usage({ days }: { readonly days: readonly KeyUsageDay[] }): ReactNode {
  const sum = (member: "requests" | "refusals"): number => days.reduce((total, one) => total + one[member], 0);
  const addresses = [...new Set(days.flatMap((one) => one.addresses))];
  const first = days[0];
  const last = days.at(-1);
  if (first === undefined || last === undefined) return null;
  const requests = sum("requests");
  const refusals = sum("refusals");
  return (
    <Stack>
      <div>
        <Sparkline days={days} label={`${requests} requests and ${refusals} refusals in ${days.length} days`} />
        <div className={classes.ends}>
          <span>{DATE.format(new Date(first.day))}</span>
          <span>Today (UTC)</span>
        </div>
      </div>
      <FactList
        facts={[
          ["Today", count(last.requests)],
          [`In ${days.length} days`, count(requests)],
          ["Refused", refusals === 0 ? "None" : count(refusals)],
          ["From", addresses.length === 0 ? "–" : addresses.join(", ")],
        ]}
      />
      <Text size="sm" c="dimmed">
        Refused: requests from other addresses, over the rate limit, or without permission. Counts lag by a few seconds.
      </Text>
    </Stack>
  );
}

/** A bar per day, with rejected requests on top. */
function Sparkline({ days, label }: { readonly days: readonly KeyUsageDay[]; readonly label: string }): ReactNode {
  const most = Math.max(1, ...days.map(({ requests, refusals }) => requests + refusals));
  return (
    <svg className={classes.chart} viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`} role="img" aria-label={label}>
      {days.map(({ day, requests, refusals }, at) => {
        const [passed, refused] = [requests, refusals].map((one) => (one / most) * HEIGHT) as [number, number];
        const place = { x: at * STEP + 1, width: STEP - 2 };
        return (
          <g key={day}>
            <title>{`${day}: ${requests} requests, ${refusals} refused`}</title>
            <rect {...place} y={HEIGHT - 1} height={1} className={classes.ground} />
            <rect {...place} y={HEIGHT - passed} height={passed} className={classes.passed} />
            <rect {...place} y={HEIGHT - passed - refused} height={refused} className={classes.refused} />
          </g>
        );
      })}
    </svg>
  );
}

const count = (number: number): string => number.toLocaleString("en");

import { Text } from "@mantine/core";
import { type DataOf, getSubnetUtilization } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useOne } from "../api/queries.js";
import { CopyIcon } from "../parts/copy.js";
import { FailureState } from "../parts/failure-state.js";
import { amountText, sharesOf } from "./amounts.js";
import classes from "./subnets.module.css";

/** The utilization of a subnet, and its next free address. */
export function Utilization({ subnetId }: { readonly subnetId: string }): ReactNode {
  const { data, error, refetch } = useOne(getSubnetUtilization, { params: { id: subnetId } });
  if (data !== undefined) return <Amounts {...data.data} />;
  return error === null ? null : <FailureState error={error} onRetry={() => void refetch()} />;
}

function Amounts({ next, ...amounts }: DataOf<typeof getSubnetUtilization>): ReactNode {
  const parts = ["used", "reserved", "free"] as const;
  const shares = sharesOf(amounts);
  const texts = parts.map((part) => `${amountText(amounts[part])} ${part}`);
  return (
    <div>
      <div className={classes.bar} role="img" aria-label={`Utilization: ${texts.join(", ")}`}>
        {parts.map(
          (part) =>
            shares[part] > 0 && <span key={part} className={classes[part]} style={{ flexBasis: `${shares[part]}%` }} />,
        )}
      </div>
      <ul className={classes.amounts}>
        {parts.map((part, index) => (
          <li key={part} className={classes.key}>
            <span className={classes[part]} aria-hidden />
            <span className="numbers">{texts[index]}</span>
          </li>
        ))}
        <li>
          <Text component="span" inherit c="dimmed" className="numbers">
            of {amountText(amounts.size)}
          </Text>
        </li>
      </ul>
      <div className={classes.next}>
        {next === null ? (
          "No free address."
        ) : (
          <>
            <Text component="span" inherit c="dimmed">
              Next free address
            </Text>
            <span className="mono">{next}</span>
            <CopyIcon label={`Copy ${next}`} value={next} />
          </>
        )}
      </div>
    </div>
  );
}

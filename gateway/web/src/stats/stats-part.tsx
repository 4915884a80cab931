import { Anchor } from "@mantine/core";
import type { Stats } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { Part, PartBody } from "../parts/part.js";
import { categoryText, virtualizationTypeText } from "../parts/texts.js";
import { subnetPath } from "../paths.js";
import { amountText } from "../subnets/amounts.js";
import { type Bar, Bars } from "./bars.js";
import classes from "./stats.module.css";

const MOST = 7;
const WEEKDAY = new Intl.DateTimeFormat("en", { weekday: "long", day: "numeric", month: "short", timeZone: "UTC" });

/** Statistics of the inventory. */
export function StatsPart({ stats }: { readonly stats: Stats }): ReactNode {
  const { categories, virtualization, ports, subnets, days } = stats;
  return (
    <Part title="Statistics">
      <PartBody>
        <div className={classes.grid}>
          <Bars
            title="Services by category"
            bars={relative(categories, ({ category, services }) => ({
              id: category,
              label: categoryText(category),
              count: services,
            }))}
          />
          <Bars
            title="Open ports"
            bars={relative(ports, ({ number, protocol, hosts }) => ({
              id: `${number}/${protocol}`,
              label: `${number}/${protocol.toLowerCase()}`,
              count: hosts,
            }))}
          />
          <Bars title="Fullest subnets" bars={subnets.slice(0, MOST).map(fullness)} />
          <Bars
            title="Virtualization"
            bars={relative(virtualization, ({ type, hosts, services }) => ({
              id: type,
              label: virtualizationTypeText(type),
              count: hosts + services,
            }))}
          />
          <Bars
            title="Changes by day (UTC)"
            bars={relative([...days].reverse(), ({ day, changes }) => ({
              id: day,
              label: WEEKDAY.format(new Date(day)),
              count: changes,
            }))}
          />
        </div>
      </PartBody>
    </Part>
  );
}

/** Amounts relative to the largest one. */
function relative<T>(
  all: readonly T[],
  barOf: (one: T) => { readonly id: string; readonly label: string; readonly count: number },
): Bar[] {
  const bars = all.slice(0, MOST).map(barOf);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return bars.map(({ id, label, count }) => ({ id, label, text: count.toLocaleString("en"), share: count / most }));
}

function fullness({ id, name, cidr, size, used }: Stats["subnets"][number]): Bar {
  const label = (
    <Anchor component={Link} to={subnetPath(id)} inherit title={cidr}>
      {name}
    </Anchor>
  );
  return { id, label, text: `${amountText(used)} of ${amountText(size)}`, share: used / size };
}

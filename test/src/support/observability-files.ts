/** The dashboard and alert rules of the product, and the metrics in their PromQL. */
import { readFileSync } from "node:fs";
import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const read = (name: string): string =>
  readFileSync(new URL(`../../../deploy/observability/${name}`, import.meta.url), "utf8");

export const dashboard = JSON.parse(read("grafana-dashboard.json")) as Dashboard;
export const inventoryDashboard = JSON.parse(read("grafana-inventory.json")) as Dashboard;

export const alertRules = (parse(read("prometheus-alerts.yml")) as { groups: { rules: AlertRule[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);

/** The panels with content; the others are headings. */
export const graphs = [dashboard, inventoryDashboard].flatMap(({ panels }) =>
  panels.filter(({ type }) => type !== "row"),
);

/** Every expression of the dashboards, with Grafana's variables replaced, and of the alert rules. */
export const expressions: readonly string[] = [
  ...graphs.flatMap(({ targets = [] }) => targets.map(({ expr }) => filledIn(expr))),
  ...alertRules.map(({ expr }) => expr),
];

function filledIn(expr: string): string {
  return expr.replaceAll("$__rate_interval", "1m").replaceAll(/\$(?:instance|network)/g, ".*");
}

/** The syntax errors of a PromQL expression. */
export function faultsOf(expr: string): string[] {
  const faults: string[] = [];
  parser.parse(expr).iterate({
    enter: ({ type, from }) => {
      if (type.isError) faults.push(`at ${from}: ${expr.slice(from, from + 30)}`);
    },
  });
  return faults;
}

/** Names of the metrics in an expression. */
export function metricsIn(expr: string): string[] {
  const names: string[] = [];
  parser.parse(expr).iterate({
    enter: ({ name, node, from, to }) => {
      if (name === "Identifier" && node.parent?.name === "VectorSelector") names.push(expr.slice(from, to));
    },
  });
  return names;
}

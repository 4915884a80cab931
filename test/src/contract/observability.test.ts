import { describe, expect, it } from "@jest/globals";
import {
  alertRules,
  dashboard,
  expressions,
  faultsOf,
  graphs,
  inventoryDashboard,
  metricsIn,
} from "../support/observability-files.js";

describe("the dashboards", () => {
  it("have graphs with a title, a description, queries with legends, and the selected data source", () => {
    expect(graphs.length).toBeGreaterThan(10);
    for (const { title, description, datasource, targets = [] } of graphs) {
      expect([title, description]).toEqual([expect.stringMatching(/^\w/), expect.stringMatching(/^\w.*\.$/)]);
      expect(datasource?.uid).toBe("${datasource}");
      expect(targets.length).toBeGreaterThan(0);
      for (const { legendFormat } of targets) expect(legendFormat).not.toBe("");
    }
  });

  it.each([dashboard, inventoryDashboard])("have no overlapping panels, and none beyond the grid", (dashboard) => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)}/${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });

  it.each([dashboard, inventoryDashboard])("define every variable that they use", (dashboard) => {
    const known = new Set(dashboard.templating.list.map(({ name }) => name));
    const used = [...JSON.stringify(dashboard.panels).matchAll(/\$\{?(\w+)/g)].map(([, name]) => name ?? "");
    expect(used.filter((name) => !known.has(name) && name !== "__rate_interval")).toEqual([]);
  });
});

describe("the alert rules", () => {
  it("have unique names, a severity, a summary and a description", () => {
    expect(new Set(alertRules.map(({ alert }) => alert)).size).toBe(alertRules.length);
    for (const rule of alertRules)
      expect(rule).toEqual({
        alert: expect.stringMatching(/^Nts[A-Z]\w+$/),
        expr: expect.any(String),
        ...(rule.for === undefined ? {} : { for: expect.stringMatching(/^\d+[mh]$/) }),
        labels: { severity: expect.stringMatching(/^(page|ticket)$/) },
        annotations: { summary: expect.stringMatching(/\.$/), description: expect.stringMatching(/\.$/) },
      });
  });
});

describe("the expressions of both", () => {
  it("are valid PromQL, and name metrics", () => {
    expect(expressions.flatMap(faultsOf)).toEqual([]);
    expect(expressions.filter((expr) => metricsIn(expr).length === 0)).toEqual([]);
  });

  it("are rejected when they are not valid PromQL", () => {
    expect(faultsOf("sum by (a) (rate(b[5m]))")).toEqual([]);
    for (const expr of ["sum by (a (b)", "rate(b[5x])", "b{c=d}", "b +"]) expect(faultsOf(expr)).not.toEqual([]);
    expect(metricsIn('sum by (a) (rate(b_total{c="d"}[5m])) / e')).toEqual(["b_total", "e"]);
  });
});

import { describe, it } from "@jest/globals";
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import { succeeds } from "../support/python-tools.js";

const hasPromtool = await succeeds("promtool", ["--version"]);
if (!hasPromtool) console.warn("NOT CHECKED: the alert rules by promtool, of the package prometheus.");

(hasPromtool ? describe : describe.skip)("the alert rules in Prometheus", () => {
  it("are accepted, and fire when they must and not otherwise", async () => {
    await execa("promtool", ["check", "rules", join(ROOT, "deploy/observability/prometheus-alerts.yml")]);
    await execa("promtool", ["test", "rules", join(ROOT, "test/alerts/prometheus-alerts.test.yml")]);
  });
});

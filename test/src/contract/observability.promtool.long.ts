import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import { succeeds } from "../support/python-tools.js";
import { readBlocks } from "../support/readme.js";

const hasPromtool = await succeeds("promtool", ["--version"]);
if (!hasPromtool) console.warn("NOT CHECKED: alert rules and examples by promtool, of the package prometheus.");
const BLACKBOX = "prometheus-blackbox-exporter";
const hasBlackbox = await succeeds(BLACKBOX, ["--version"]);
if (!hasBlackbox) console.warn(`NOT CHECKED: the recipe of the blackbox exporter, by the package ${BLACKBOX}.`);

(hasPromtool ? describe : describe.skip)("the alert rules in Prometheus", () => {
  it("are accepted, and fire when they must and not otherwise", async () => {
    await execa("promtool", ["check", "rules", join(ROOT, "deploy/observability/prometheus-alerts.yml")]);
    await execa("promtool", ["test", "rules", join(ROOT, "test/alerts/prometheus-alerts.test.yml")]);
  });
});

describe("the examples of docs/exports.md", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "promtool-"));
    await writeFile(join(folder, "key"), "nts_x");
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Files of the examples that begin like this. */
  async function filesOf(beginning: string): Promise<string[]> {
    const texts = readBlocks("docs/exports.md")
      .map(({ text }) => text.replaceAll("/etc/prometheus/inventory.key", join(folder, "key")))
      .filter((text) => text.startsWith(beginning));
    const files = texts.map((_text, n) => join(folder, `${beginning.replaceAll(/\W/g, "")}-${n}.yml`));
    await Promise.all(texts.map((text, n) => writeFile(files[n] ?? "", text)));
    return files;
  }

  (hasPromtool ? it : it.skip)("are configurations and rules that Prometheus accepts", async () => {
    const configurations = await filesOf("scrape_configs:");
    expect(configurations.length).toBeGreaterThan(2);
    for (const file of configurations) await execa("promtool", ["check", "config", file]);
    for (const file of await filesOf("groups:")) await execa("promtool", ["check", "rules", file]);
  });

  (hasBlackbox ? it : it.skip)("are modules that the blackbox exporter accepts", async () => {
    const files = await filesOf("modules:");
    expect(files).toHaveLength(1);
    for (const file of files) await execa(BLACKBOX, [`--config.file=${file}`, "--config.check"]);
  });
});

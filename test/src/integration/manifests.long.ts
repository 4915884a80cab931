/**
 * Validates the Kubernetes manifests against the schemas of Kubernetes, without a cluster. It needs kubectl and Python.
 */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import { built, overlays } from "../support/manifests.js";
import { hasPython, preparePythonTool, succeeds } from "../support/python-tools.js";

const isPossible = (await succeeds("kubectl", ["version", "--client"])) && (await hasPython());
if (!isPossible) console.warn("NOT CHECKED: the Kubernetes manifests. It takes kubectl and python3 of 3.11 or newer.");

(isPossible ? describe : describe.skip)("the Kubernetes manifests", () => {
  let folder: string;
  let validator: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "manifests-"));
    const requirements = join(ROOT, "test/manifests/requirements.txt");
    validator = await preparePythonTool({ name: "kubernetes-validate", requirements, report: console.log });
  });

  afterAll(() => rm(folder, { recursive: true }));

  /** The errors of the validator. It does not know the Gateway API and the Prometheus operator, which are no part of Kubernetes. */
  async function faultsOf(manifests: string): Promise<string> {
    const file = join(folder, "manifests.yaml");
    const known = manifests
      .split(/^---$/m)
      .filter((one) => !/^apiVersion: (?:gateway\.networking\.k8s\.io|monitoring\.coreos\.com)\/v1$/m.test(one));
    await writeFile(file, known.join("---"));
    const { exitCode, all } = await execa(validator, ["--strict", "--quiet", file], { all: true, reject: false });
    return exitCode === 0 ? "" : all;
  }

  it.each(overlays)("of the overlay %s are valid for Kubernetes", async (overlay) => {
    expect(await faultsOf(await built(overlay))).toBe("");
  });

  it("are checked to the last field", async () => {
    const manifests = await built("single");
    const planted = manifests.replace("readOnlyRootFilesystem: true", "readOnlyRootFileSystem: true");
    expect(planted).not.toBe(manifests);
    expect(await faultsOf(planted)).toContain("readOnlyRootFileSystem");
  });
});

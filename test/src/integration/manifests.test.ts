/**
 * Validates the Kubernetes manifests against the schemas of Kubernetes, without a cluster. It needs kubectl and Python.
 */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import { hasPython, preparePythonTool, succeeds } from "../support/python-tools.js";

const OVERLAYS = join(ROOT, "deploy/kubernetes/overlays");
const names = await readdir(OVERLAYS);
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

  async function built(overlay: string): Promise<string> {
    return (await execa("kubectl", ["kustomize", join(OVERLAYS, overlay)])).stdout;
  }

  /** The errors of the validator. */
  async function faultsOf(manifests: string): Promise<string> {
    const file = join(folder, "manifests.yaml");
    await writeFile(file, manifests);
    const { exitCode, all } = await execa(validator, ["--strict", "--quiet", file], { all: true, reject: false });
    return exitCode === 0 ? "" : all;
  }

  it.each(names)("of the overlay %s are valid for Kubernetes", async (overlay) => {
    const manifests = await built(overlay);
    expect(manifests.match(/^kind: Deployment$/gm)).toHaveLength(3);
    expect(await faultsOf(manifests)).toBe("");
  });

  it("are checked to the last field", async () => {
    const manifests = await built("single");
    const planted = manifests.replace("readOnlyRootFilesystem: true", "readOnlyRootFileSystem: true");
    expect(planted).not.toBe(manifests);
    expect(await faultsOf(planted)).toContain("readOnlyRootFileSystem");
  });

  it("restart a process when one of its settings changes", async () => {
    const [single, production] = await Promise.all([built("single"), built("production")]);
    const mapOf = (text: string): string => /name: (identity-[0-9a-z]{10})/.exec(text)?.[1] ?? "";
    expect(mapOf(single)).not.toBe(mapOf(production));
    for (const text of [single, production]) expect(text.split(`name: ${mapOf(text)}`)).toHaveLength(3); // the map, and its reader
  });
});

/** What the Kubernetes manifests say; it needs kubectl. The long tier validates them against the schemas of Kubernetes. */
import { describe, expect, it } from "@jest/globals";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { ROOT } from "@nts/local/processes/system";
import { REDIS_RIGHTS } from "@nts/local/servers/redis";
import { built, type Manifest, overlays } from "../support/manifests.js";
import { succeeds } from "../support/python-tools.js";
import { readCosts } from "../load/scale-costs.js";
import { needsOf, PLAN } from "../load/scale-model.rules.js";

interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly { readonly ports?: readonly { readonly name: string }[] }[] };
}

interface Selector {
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly matchExpressions: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
}

interface PodMonitor {
  readonly spec: { readonly selector: Selector; readonly podMetricsEndpoints: readonly { readonly port: string }[] };
}

/** Pod templates of a workload or CronJob. */
function podsIn(manifest: unknown): readonly Pod[] {
  const { spec } = manifest as { spec?: { template?: Pod; jobTemplate?: { spec: { template: Pod } } } };
  return [spec?.template, spec?.jobTemplate?.spec.template].filter((pod) => pod !== undefined);
}

function isSelected(labels: Pod["metadata"]["labels"], { matchLabels, matchExpressions }: Selector): boolean {
  const isIn = ({ key, operator, values }: Selector["matchExpressions"][number]): boolean =>
    operator === "In" && values.includes(labels[key] ?? "");
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value) && matchExpressions.every(isIn);
}

/** Of an archive; see shared/src/contract/archives.ts. */
const LARGEST_BODY_BYTES = 268_435_456;
const isPossible = await succeeds("kubectl", ["version", "--client"]);
if (!isPossible) console.warn("NOT CHECKED: what the Kubernetes manifests say. It takes kubectl.");

(isPossible ? describe : describe.skip)("what the Kubernetes manifests say", () => {
  it.each(overlays)("of the overlay %s spread each process over nodes and zones", async (overlay) => {
    const processes = parseAllDocuments(await built(overlay))
      .map((one) => one.toJS() as Manifest)
      .filter(({ kind, metadata }) => kind === "Deployment" && metadata.name !== "nats");
    expect(processes).toHaveLength(3);
    for (const { spec } of processes) {
      const spread = spec.template?.spec.topologySpreadConstraints.map(({ topologyKey }) => topologyKey);
      expect(spread).toEqual(["kubernetes.io/hostname", "topology.kubernetes.io/zone"]);
    }
  });

  it("allow the largest body, send traces, and find names by the label of the DNS server", async () => {
    const production = await built("production");
    const [, megabytes] = /proxy-body-size: (\d+)m$/m.exec(production) ?? [];
    expect(Number(megabytes) * 1024 * 1024).toBe(LARGEST_BODY_BYTES);
    const policies = parseAllDocuments(production).map((one) => one.toJS() as Manifest);
    const everyone = policies.find(({ metadata }) => metadata.name === "names-and-metrics")!;
    expect(everyone.spec.egress?.map(({ ports }) => ports.map(({ port }) => port))).toEqual([[53, 53], [4318]]);
    expect(JSON.stringify(everyone.spec.egress)).toContain('"k8s-app":"kube-dns"');
  });

  it("are scaled to what `npm run bench -- model` computes, as docs/scaling.md says", async () => {
    const page = await readFile(join(ROOT, "docs/scaling.md"), "utf8");
    const { replicas } = needsOf(await readCosts(), PLAN);
    const scalers = parseAllDocuments(await built("production"))
      .map((one) => one.toJS() as Manifest)
      .filter(({ kind }) => kind === "HorizontalPodAutoscaler");
    const bounds = scalers.map(({ metadata, spec }) => [metadata.name, [spec.minReplicas, spec.maxReplicas]]);
    const expected = Object.entries(replicas).map(([name, { min, max }]) => [name, [min, max]]);
    expect(Object.fromEntries(bounds)).toEqual(Object.fromEntries(expected));
    const [, ...cells] = (/^\| replicas +\|.*$/m.exec(page)?.[0] ?? "").split("|").map((cell) => cell.trim());
    expect(cells.slice(1, 4)).toEqual(expected.map(([, bound]) => (bound as number[]).join(" to ")));
  });

  it("monitor every process, and nothing else, at its port of metrics", async () => {
    const all = parseAllDocuments(await built("production-monitoring")).map((one) => one.toJS() as unknown);
    const monitor = all.find((one): one is PodMonitor => (one as Manifest).kind === "PodMonitor")!;
    const { selector, podMetricsEndpoints } = monitor.spec;
    expect(podMetricsEndpoints).toMatchObject([
      { path: "/metrics", relabelings: [{ targetLabel: "job", replacement: "nts" }] },
    ]);
    const pods = all.flatMap(podsIn).filter(({ metadata: { labels } }) => isSelected(labels, selector));
    expect(pods.map(({ metadata: { labels } }) => labels["app.kubernetes.io/name"]).toSorted()).toEqual([
      "gateway",
      "identity",
      "topology",
    ]);
    for (const { spec } of pods) {
      const ports = spec.containers.flatMap((container) => container.ports ?? []).map(({ name }) => name);
      expect(ports).toContain(podMetricsEndpoints[0]?.port);
    }
  });

  it("of the trial give the gateways and the processes the rights of the Compose system", async () => {
    const compose = await readFile(join(ROOT, "deploy/docker-compose.yml"), "utf8");
    const trial = await built("kind");
    expect(trial).toContain(`user gateway on >$REDIS_PASSWORD ${REDIS_RIGHTS}\n`);
    const rightsIn = (text: string): string =>
      (/users: \[([\s\S]*?)\n\s*\] \}/.exec(text)?.[1] ?? "").replaceAll(/\s+/g, " ");
    expect(rightsIn(trial)).toBe(rightsIn(compose).replaceAll("$$", "$"));
  });

  it("restart a process when one of its settings changes", async () => {
    const [single, production] = await Promise.all([built("single"), built("production")]);
    const mapOf = (text: string): string => /name: (identity-[0-9a-z]{10})/.exec(text)?.[1] ?? "";
    expect(mapOf(single)).not.toBe(mapOf(production));
    for (const text of [single, production]) expect(text.split(`name: ${mapOf(text)}`)).toHaveLength(3); // the map, and its reader
  });
});

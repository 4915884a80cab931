/** Which processes may reach external networks; `npm run long -- containers` tests whether they can. */
import { describe, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { ROOT } from "@nts/local/processes/system";

interface Compose {
  readonly services: Readonly<Record<string, { readonly networks?: readonly string[] }>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
}
interface NetworkPolicy {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly egress?: readonly { readonly ports: readonly { readonly port: number }[] }[] };
}

const read = (path: string): string => readFileSync(join(ROOT, "deploy", path), "utf8");

describe("deployment.networks: egress", () => {
  it("is limited to the processes that call identity providers and webhook receivers, and the edge", () => {
    const { services, networks } = parse(read("docker-compose.yml"), { merge: true }) as Compose;
    const isOut = (name: string): boolean => networks[name]?.internal !== true;
    const out = Object.keys(services).filter((name) => services[name]?.networks?.some(isOut));
    expect(out.sort()).toEqual(["edge", "gateway", "identity", "topology"]);
    // Each of the two has its own way out, over which it does not reach the other.
    const shared = services["identity"]!.networks!.filter(
      (name) => isOut(name) && services["topology"]!.networks!.includes(name),
    );
    expect(shared).toEqual([]);
    const policies = parseAllDocuments(read("kubernetes/base/network-policies.yaml")).map(
      (one) => one.toJS() as NetworkPolicy,
    );
    const reaching = policies.filter(({ spec }) =>
      spec.egress?.some(({ ports }) => ports.some(({ port }) => port === 443)),
    );
    expect(reaching.map(({ metadata }) => metadata.name)).toEqual(["identity", "topology"]);
  });
});

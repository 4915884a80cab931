/** The Kubernetes manifests as kubectl builds them. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template?: {
      readonly spec: { readonly topologySpreadConstraints: readonly { readonly topologyKey: string }[] };
    };
    readonly egress?: readonly { readonly ports: readonly { readonly port: number }[] }[];
    readonly minReplicas?: number;
    readonly maxReplicas?: number;
  };
}

const OVERLAYS = join(ROOT, "deploy/kubernetes/overlays");

/** The names of the overlays. */
export const overlays = await readdir(OVERLAYS);

/** The manifests of an overlay, as a stream of documents. */
export async function built(overlay: string): Promise<string> {
  return (await execa("kubectl", ["kustomize", join(OVERLAYS, overlay)])).stdout;
}

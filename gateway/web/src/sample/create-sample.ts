import { ApiError, type Input } from "@nts/shared/client";
import {
  createDependency,
  createHost,
  createLink,
  createNetwork,
  createSubnet,
  createVlan,
  type DataOf,
  deleteNetwork,
  type Endpoint,
  type Host,
} from "@nts/shared/contract";
import { hostBody, HOSTS, labelOf, subnetBodies } from "@nts/shared/sample/bodies";
import { linkBodies, LINKS, VLANS } from "@nts/shared/sample/cabling";
import { NETWORK_NAME, type SubnetKey, SUBNETS } from "@nts/shared/sample/data";
import { DEPENDENCIES, dependencyBodies } from "@nts/shared/sample/dependencies";
import { api } from "../api/client.js";
import { SAMPLE_ATTRIBUTE } from "./is-sample.js";

// Creates the sample network through the API, one request after the other: what can be seen of it is complete, and it is
// gone as a whole when its network is deleted.

const COMMENT = "Sample data";

/** The number of requests. */
export const SAMPLE_STEPS = 1 + VLANS.length + SUBNETS.length + HOSTS.length + DEPENDENCIES.length + LINKS.length;

/**
 * Creates the sample network. If that fails, what there is of it is deleted again.
 *
 * @param onStep receives the number of requests that are done
 * @returns the id of the network
 */
export async function createSample(onStep: (done: number) => void): Promise<string> {
  const body = { name: NETWORK_NAME, tags: ["demo"], attributes: { [SAMPLE_ATTRIBUTE]: true } };
  const { id } = await patiently(createNetwork, { body, comment: COMMENT });
  try {
    await fill(id, onStep);
    return id;
  } catch (error) {
    await api.call(deleteNetwork, { params: { id }, comment: COMMENT }).catch(() => undefined);
    throw error;
  }
}

async function fill(networkId: string, onStep: (done: number) => void): Promise<void> {
  let done = 1;
  onStep(done);
  const vlanIds = new Map<number, string>();
  for (const { vid, name } of VLANS) {
    const body = { network_id: networkId, vid, name };
    vlanIds.set(vid, (await patiently(createVlan, { body, comment: COMMENT })).id);
    onStep((done += 1));
  }
  const subnetIds = new Map<SubnetKey, string>();
  for (const [key, subnet] of subnetBodies(networkId)) {
    const vid = VLANS.find((vlan) => vlan.subnet === key)?.vid ?? 0;
    const body = { ...subnet, vlan_id: vlanIds.get(vid) ?? null };
    subnetIds.set(key, (await patiently(createSubnet, { body, comment: COMMENT })).id);
    onStep((done += 1));
  }
  const runnerIds = new Map<string, string>();
  const hosts: Host[] = [];
  for (const host of HOSTS) {
    const body = hostBody(host, { networkId, subnetIds, runnerIds });
    const made = await patiently(createHost, { body, comment: COMMENT });
    runnerIds.set(labelOf(host.hostname), made.id);
    hosts.push(made);
    onStep((done += 1));
  }
  for (const body of linkBodies(networkId, hosts, vlanIds)) {
    await patiently(createLink, { body, comment: COMMENT });
    onStep((done += 1));
  }
  for (const body of dependencyBodies(networkId, hosts)) {
    await patiently(createDependency, { body, comment: COMMENT });
    onStep((done += 1));
  }
}

/** Calls the API, and waits when it asks to. */
async function patiently<E extends Endpoint>(operation: E, input: Input<E>): Promise<DataOf<E>> {
  for (;;)
    try {
      return await api.call(operation, input);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error;
      const seconds = error.retryAfterSeconds ?? 1;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
}

import type { Attack } from "../support/attacks/attack.js";
import { createNetwork, tally } from "../support/attacks/parts.js";

const OBJECTS = 340_000;
const AT_ONCE = 6;

export const attack: Attack = {
  name: "six creates at once whose details are 340,000 empty objects",
  run: async (target) => {
    const tenant = await target.newTenant();
    const { networkId } = await createNetwork(tenant);
    const details = `{"a":[${"{},".repeat(OBJECTS - 1)}{}]}`;
    const body = `{"network_id":"${networkId}","name":"nas","virtualization":{"type":"vm","details":${details}}}`;
    const sent = Array.from({ length: AT_ONCE }, () => tenant.send("POST", "/api/v1/hosts", body));
    return tally((await Promise.all(sent)).map(({ status }) => status));
  },
};

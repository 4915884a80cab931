import type { Attack } from "../support/attacks/attack.js";
import { createNetwork, tally } from "../support/attacks/parts.js";

const AT_ONCE = 6;

/** Values that are small and entirely invalid, so that each is an error to report. */
export const attack: Attack = {
  name: "six creates at once with 250,000 wrong tags, ports and members",
  run: async (target) => {
    const tenant = await target.newTenant();
    const { networkId } = await createNetwork(tenant);
    const begin = `{"network_id":"${networkId}","name":"nas",`;
    const members = Array.from({ length: 90_000 }, (_, n) => `"${n}":0`).join();
    const bodies = [
      `${begin}"tags":[${"0,".repeat(500_000)}0]}`,
      `${begin}"ports":[${"{},".repeat(250_000)}{}]}`,
      `${begin}"virtualization":{"type":"vm","details":{${members}}}}`,
    ];
    const sent = Array.from({ length: AT_ONCE }, (_, n) => tenant.send("POST", "/api/v1/hosts", bodies[n % 3]));
    return tally((await Promise.all(sent)).map(({ status }) => status));
  },
};

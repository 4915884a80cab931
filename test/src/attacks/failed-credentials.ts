import { createApiKey } from "@nts/shared/api-key";
import type { Attack } from "../support/attacks/attack.js";
import { expectThat, inTurns, tally } from "../support/attacks/parts.js";

/** The neighbour has just been given its key, so that no gateway remembers it. */
export const attack: Attack = {
  name: "400 well-formed keys that nobody has, from the address of somebody with a good one",
  cheap: true,
  settings: { ANONYMOUS_RATE_LIMIT_PER_MINUTE: undefined, ANONYMOUS_RATE_LIMIT_BURST: undefined },
  run: async (target) => {
    const neighbour = await target.newTenant();
    const statuses = await inTurns(400, 16, async () => {
      const headers = { authorization: `Bearer ${createApiKey().secret}` };
      return (await neighbour.send("GET", "/api/v1/networks", undefined, headers)).status;
    });
    const { status, code } = await neighbour.send("GET", "/api/v1/networks");
    expectThat(status === 200, `the neighbour's good key got ${status} ${code}; the others ${tally(statuses)}`);
    return tally(statuses);
  },
};

import type { Attack, Tenant } from "../support/attacks/attack.js";
import { largeInventory } from "../support/attacks/large-inventory.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const CALLS = 200;
const TOOLS = [
  ["overview", {}],
  ["find", { text: "s" }],
  ["find", { text: ":1" }],
  ["what_listens", { port: 1 }],
  ["describe_host", { host: "host 1" }],
  ["what_changed", {}],
  ["what_is_gone", { days: 0 }],
  ["ending_certificates", {}],
  ["find_duplicates", {}],
  ["what_changed", { by_request: true }],
] as const;

/** Each call makes up to six requests to the API, whose responses the gateway buffers. */
export const attack: Attack<Tenant> = {
  name: `${CALLS} tool calls of assistants to an inventory of 36,000 services, 32 at a time`,
  prepare: largeInventory,
  run: async (_target, tenant) => {
    const responses = await mapConcurrently(CALLS, 32, (n) => {
      const [name, given] = TOOLS[n % TOOLS.length] ?? TOOLS[0];
      const message = { jsonrpc: "2.0", id: n, method: "tools/call", params: { name, arguments: given } };
      return tenant.send("POST", "/mcp", message, { accept: "application/json, text/event-stream" });
    });
    const refused = responses.filter(({ text }) => text.includes('"isError":true')).length;
    const largest = Math.max(...responses.map(({ text }) => text.length));
    const got = `${tally(responses.map(({ status }) => status))}; ${refused} tools refused`;
    // An organization beyond its share waits for itself.
    expectThat(
      responses.every(({ status }) => [200, 429].includes(status)),
      got,
    );
    expectThat(largest < 20_000, `a result of ${largest} characters`);
    return got;
  },
};

/**
 * Random concurrent histories on few hosts, over two replicas: the database is consistent at every moment. SEED
 * repeats the sample (not the interleaving), HISTORY_LENGTH makes it longer.
 */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { createTenancySigner } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { type ApiResponse, callerOf, type Caller } from "../support/api.js";
import { anEmptyWorld, drawHistory, step } from "../support/history.js";
import { violationsIn } from "../support/invariants.js";
import { startStack, type Stack } from "../support/stack.js";
import { SEED } from "../support/sample-seed.js";

const LENGTH = Number(process.env["HISTORY_LENGTH"] ?? 260);
const WRITERS = 16;
const CHECK_EVERY = 100;
/** Steps that one writer makes alone at first, so that there is something to write. */
const FIRST = 60;
/** On a slow machine a write may lose to others until its deadline; more losses indicate a fault. */
const MAX_RETRIES = 5;

let stack: Stack;
let client: MongoClient;
let callers: Caller[];

beforeAll(async () => {
  stack = await startStack({ gateways: 0, identities: 0, topologies: 2 });
  client = new MongoClient(stack.servers.urls.mongodb);
  const scope = { organizationId: newId(), networks: "all" } as const;
  const principal = { kind: "session", credentialId: newId(), userId: newId(), permission: "Owner", scope } as const;
  const sign = createTenancySigner(stack.tenancySecrets.gatewayToTopology, "topology");
  callers = stack.topologies.map(({ url, name }) => callerOfService(callerOf(url, name), () => sign(principal)));
});

afterAll(async () => {
  await client.close();
  await stack.stop();
});

describe(`a history of ${LENGTH} writes by ${WRITERS} writers, seed ${SEED}`, () => {
  it(
    "leaves no dangling reference, violation, gap or wrong count at any moment; a MAC address never changes",
    async () => {
      const world = anEmptyWorld();
      const history = drawHistory(SEED, LENGTH);
      const outcomes = new Map<string, number>();
      const found: string[] = [];
      let next = 0;
      const writer = async (own: number, end = history.length): Promise<void> => {
        for (let index = next++; index < end; index = next++) {
          const drawn = history[index];
          const caller = callers[own % callers.length];
          if (drawn === undefined || caller === undefined) return;
          const response = await step(world, caller, drawn);
          const outcome = response === null ? "nothing to do" : response.status === 200 ? "done" : response.body.code;
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          if (index % CHECK_EVERY === 0) found.push(...(await violationsIn(client.db(stack.databases.topology))));
        }
      };
      await writer(0, FIRST);
      next = FIRST;
      await Promise.all(Array.from({ length: WRITERS }, (_, own) => writer(own)));
      found.push(...(await violationsIn(client.db(stack.databases.topology))));

      expect(found).toEqual([]);
      expect([...world.macs].filter(([, macs]) => macs.size > 1)).toEqual([]);
      const refusals = [
        "binding_cross_host",
        "binding_conflict",
        "invalid_reference",
        "network_mismatch",
        "ip_outside_subnet",
        "not_found",
        "already_exists",
        "in_use",
        "mac_address_immutable",
        "validation_failed",
      ];
      const unexpected = [...outcomes].filter(([code]) => !["done", "nothing to do", ...refusals].includes(code));
      expect(unexpected).toEqual([]);
      // A history of mostly empty steps or rejections would prove little.
      expect(outcomes.get("done") ?? 0).toBeGreaterThan(LENGTH / 5);
    },
    Math.max(60_000, LENGTH * 60),
  );
});

/** A caller of a service itself, whose responses have no envelope. It retries writes that lost to others. */
function callerOfService(caller: Caller, sign: () => string): Caller {
  return {
    ...caller,
    send: async (method, path, input, headers = {}) => {
      const request = (): Promise<ApiResponse> => caller.send(method, path, input, { ...headers, "x-tenancy": sign() });
      let response = await request();
      for (let again = 0; again < MAX_RETRIES && lostToOthers(response); again++) response = await request();
      const body = response.status === 200 ? { data: response.body } : response.body;
      return { ...response, body: body as typeof response.body };
    },
  };
}

const lostToOthers = ({ status, body }: ApiResponse): boolean => status === 409 && body.code === "write_conflict";

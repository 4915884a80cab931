/**
 * Reverting requests in random histories, compared with recorded lists. Of twice REVERT_LENGTH requests, about half
 * change something; SEED repeats them.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { type Change, listChanges } from "@nts/shared/contract";
import { anEmptyWorld, drawHistory, step } from "../support/history.js";
import { byPath, waitForJournal, currentState } from "../support/moments.js";
import { expectReplayEqualsLists, revert, withoutTimes } from "../support/reverts.js";
import { startTopology, type Topology } from "../support/topology.js";
import { aNetwork } from "../support/topology-world.js";
import { SEED } from "../support/sample-seed.js";

const LENGTH = Number(process.env["REVERT_LENGTH"] ?? 10);

jest.setTimeout(300_000 + LENGTH * 1_500);

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology({ journal: true });
  // What exists before the journal starts is recorded as reconciled.
  await waitForJournal(topology.aCaller());
});
afterAll(() => topology.stop());

describe(`a history of ${LENGTH * 2} random requests, seed ${SEED}`, () => {
  it("each is reverted to the state before it, and the revert to the state after it", async () => {
    const owner = topology.aCaller();
    const drawnWorld = anEmptyWorld();
    const { network } = await aNetwork(owner);
    drawnWorld.known.networks.push({ id: network.id, network_id: network.id, body: { ...network } });
    let before = await currentState(owner);
    let refused = 0;
    let taken = 0;
    for (const [n, drawn] of drawHistory(SEED, LENGTH * 2).entries()) {
      const request = randomUUID();
      const response = await step(
        drawnWorld,
        byPath(owner, () => request),
        drawn,
      );
      const after = await currentState(owner);
      const hasChanged = JSON.stringify([...after]) !== JSON.stringify([...before]);
      // A request that got no response in time may have been carried out.
      if (response?.status !== 200) before = after;
      if (response?.status !== 200 || !hasChanged) continue;
      const own = randomUUID();
      const { status, code, text } = await revert(owner, request, own);
      if (status !== 200) {
        // A MAC address never changes.
        expect([code, text]).toEqual(["mac_address_immutable", text]);
        before = after;
        refused += 1;
        continue;
      }
      taken += 1;
      const reverted = await currentState(owner);
      expect(withoutTimes(reverted)).toEqual(withoutTimes(before));
      before = reverted;
      if (n % 3 === 0) continue;
      const again = await revert(owner, own);
      expect([again.status, again.text]).toEqual([200, again.text]);
      before = await currentState(owner);
      expect(withoutTimes(before)).toEqual(withoutTimes(after));
    }
    expect(taken).toBeGreaterThan(refused);
    await expectReplayEqualsLists(owner);
  });
});

describe(`a history of ${LENGTH * 2} random requests, seed ${SEED + 1}`, () => {
  it("what was changed later is kept, whether the request is reverted or not", async () => {
    const owner = topology.aCaller();
    const drawnWorld = anEmptyWorld();
    const { network } = await aNetwork(owner);
    drawnWorld.known.networks.push({ id: network.id, network_id: network.id, body: { ...network } });
    let current = "";
    let outcomes = { taken: 0, refused: 0 };
    const requests: string[] = [];
    const caller = byPath(owner, () => current);
    for (const [n, drawn] of drawHistory(SEED + 1, LENGTH * 2).entries()) {
      current = randomUUID();
      if ((await step(drawnWorld, caller, drawn))?.status === 200) requests.push(current);
      if (n % 4 !== 3 || requests.length < 3) continue;
      const request = requests.at(-3)!;
      await waitForJournal(owner);
      const changes = await owner.call(listChanges, { query: { limit: 1000, order_direction: "desc" } });
      const places = changes.map(({ request_id }) => request_id);
      if (!places.includes(request)) continue;
      const later = changes.slice(0, places.indexOf(request));
      const was = await currentState(owner);
      const { status, code, params } = await revert(owner, request);
      const is = await currentState(owner);
      if (status === 200) outcomes = { ...outcomes, taken: outcomes.taken + 1 };
      else {
        outcomes = { ...outcomes, refused: outcomes.refused + 1 };
        expect([code, params]).toEqual([
          expect.stringMatching(/revert_conflict|mac_address|already_exists|ip_outside/),
          params,
        ]);
        expect([...is]).toEqual([...was]);
      }
      // What was changed and changed back is as the request left it.
      const left = new Map(
        changes.filter(({ request_id }) => request_id === request).map((one) => [one.entity_id, one.after]),
      );
      for (const { entity_id } of later) {
        const old = was.get(entity_id);
        const now = is.get(entity_id);
        const same = (state: Change["after"] | undefined): string => JSON.stringify({ ...state, updated_at: "" });
        const isUnchanged =
          old !== undefined &&
          left.has(entity_id) &&
          same(JSON.parse(old) as Change["after"]) === same(left.get(entity_id));
        if (!isUnchanged) expect(now).toBe(old);
      }
    }
    await expectReplayEqualsLists(owner);
  });
});

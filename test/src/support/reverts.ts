/** Helpers of revert tests. */
import { randomUUID } from "node:crypto";
import { expect } from "@jest/globals";
import { type DataOf, revertChanges } from "@nts/shared/contract";
import { waitForJournal, type State } from "./moments.js";
import { startReplay } from "./replay.js";
import type { ServiceResponse, Caller } from "./topology.js";

/** States without modification times, which increase with every revert. */
export const withoutTimes = (state: State): [string, string][] =>
  [...state]
    .map(([id, text]): [string, string] => [id, JSON.stringify({ ...(JSON.parse(text) as object), updated_at: "" })])
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** Sends a request with an id of its own. @returns the id */
export async function withRequestId(send: (headers: { "x-request-id": string }) => Promise<unknown>): Promise<string> {
  const id = randomUUID();
  await send({ "x-request-id": id });
  return id;
}

/** Reverts a request. @param own id of the reverting request */
export const revert = (
  caller: Caller,
  request_id: string,
  own: string = randomUUID(),
): Promise<ServiceResponse<DataOf<typeof revertChanges>>> =>
  caller.send(revertChanges, { body: { request_id }, headers: { "x-request-id": own } });

/** Expects that a replay of the changes equals the lists. */
export async function expectReplayEqualsLists(owner: Caller): Promise<void> {
  await waitForJournal(owner);
  const replay = startReplay(async (path) => owner.raw("get", path));
  await replay.follow();
  expect([replay.faults, await replay.differences()]).toEqual([[], []]);
}

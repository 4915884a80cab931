import type { streamChanges } from "@nts/shared/contract";
import { validationFailed } from "@nts/shared/errors";
import { type HandlerResponse, respond } from "@nts/shared/http/respond";
import type { UserCall } from "@nts/shared/http/mount";
import { goneBehind } from "../journal/cursors.js";
import type { Feeds } from "../journal/feeds.js";
import { Follower } from "../journal/follower.js";

/** Filters of events, not of current state. */
const OF_CHANGES = ["action", "user_id", "key_id", "request_id"] as const;

export async function streamOf(feeds: Feeds, call: UserCall<typeof streamChanges>): Promise<HandlerResponse<never>> {
  const { query, principal, work, log, lastEventId } = call;
  const { scope } = principal;
  const { after, since, until, initial, ...filter } = query;
  if (initial && [since, until, ...OF_CHANGES.map((name) => filter[name])].some((one) => one !== undefined))
    throw validationFailed({
      path: "initial",
      message: "can only be combined with `network_id`, `host_id`, `entity` and `entity_id`",
    });
  const { reader } = feeds;
  const cursors = await reader.cursors();
  const given = lastEventId === null || lastEventId === "" ? after : lastEventId;
  const from = given === undefined ? null : cursors.read(scope.organizationId, given);
  const { last, gone, goneForCaller } = await reader.ends(scope);
  if (from !== null && from < goneForCaller) throw goneBehind(cursors, scope.organizationId, goneForCaller);
  const begin = Math.max(gone, from ?? 0);
  const sinceN = since === undefined ? 0 : await reader.firstSince(scope, new Date(since), { first: begin + 1, last });
  feeds.requireRoom();
  const before = until === undefined ? null : new Date(until);
  const follower = new Follower(feeds, cursors, { scope, filter, before, work, log });
  if (initial && from === null) {
    const now = await reader.place(scope);
    return respond.events(follower.events({ n: now, sent: now }, true));
  }
  return respond.events(follower.events({ n: Math.max(begin, sinceN - 1), sent: from ?? goneForCaller }));
}

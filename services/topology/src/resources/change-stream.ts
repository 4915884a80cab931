import type { streamChanges } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { type Answer, answer } from "@nts/shared/http/answer";
import type { UserCall } from "@nts/shared/http/mount";
import type { Feeds } from "../journal/feeds.js";
import { Follower } from "../journal/follower.js";

export async function streamOf(feeds: Feeds, call: UserCall<typeof streamChanges>): Promise<Answer<never>> {
  const { query, principal, work, log, lastEventId } = call;
  const { scope } = principal;
  const { after, since, until, ...filter } = query;
  const { reader } = feeds;
  const cursors = await reader.cursors();
  const given = lastEventId === null || lastEventId === "" ? after : lastEventId;
  const from = given === undefined ? null : cursors.read(scope.organizationId, given);
  const { last, gone, goneForCaller } = await reader.ends(scope);
  if (from !== null && from < goneForCaller)
    throw new AppError("changes_gone", { oldest: cursors.of(scope.organizationId, goneForCaller) });
  const begin = Math.max(gone, from ?? 0);
  const sinceN = since === undefined ? 0 : await reader.firstSince(scope, new Date(since), { first: begin + 1, last });
  feeds.requireRoom();
  const before = until === undefined ? null : new Date(until);
  const place = { n: Math.max(begin, sinceN - 1), told: from ?? goneForCaller };
  return answer.events(new Follower(feeds, cursors, { scope, filter, before, work, log }).events(place));
}

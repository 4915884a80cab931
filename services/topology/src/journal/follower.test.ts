import { describe, expect, it } from "@jest/globals";
import { createLog } from "@nts/shared/log";
import { createPacer } from "@nts/shared/pacer";
import { BACKGROUND } from "@nts/shared/work";
import { createCursors } from "./cursors.js";
import type { JournalDocument } from "./entries.rules.js";
import type { Feeds } from "./feeds.js";
import { Follower } from "./follower.js";

const cursors = createCursors(Buffer.alloc(16));
const never = new Promise<never>(() => undefined);

/** Feeds of which one organization's reads do not end; at a time, one follower makes its events. */
function feedsWithout(hanging: string): Feeds {
  const read = async function* (organizationId: string): AsyncGenerator<JournalDocument[], void, void> {
    yield organizationId === hanging ? await never : [];
  };
  const entries: Feeds["reader"]["entries"] = (scope, _asked, reached) => {
    reached.isEnd = true;
    return read(scope.organizationId);
  };
  const states: Feeds["states"] = ({ scope }) => read(scope.organizationId);
  const feed = { join: (n: number) => n === 1, recent: () => null, last: () => 1, end: () => undefined };
  return {
    paced: createPacer({ atATime: 1, mostWaiting: 10, rest: () => Promise.resolve() }),
    ...{ states, reader: { entries }, open: () => Promise.resolve(feed), isClosing: () => false },
  } as unknown as Feeds;
}

describe("a follower whose reads wait", () => {
  it.each([true, false])("does not delay those of other organizations, with the current state: %s", async (initial) => {
    const feeds = feedsWithout("slow");
    const eventsOf = (organizationId: string): AsyncGenerator<string | Buffer, void, void> => {
      const scope = { organizationId, networks: "all" } as const;
      const following = { scope, filter: {}, before: null, work: BACKGROUND, log: createLog("topology", "error") };
      return new Follower(feeds, cursors, following).events({ n: 0, sent: 0 }, initial);
    };
    const [slow, other] = [eventsOf("slow"), eventsOf("other")];
    await Promise.all([slow.next(), other.next()]);
    const waiting = slow.next().then(() => "slow");
    expect(await Promise.race([waiting, other.next().then(({ value }) => String(value))])).toMatch(/^:|^id: /);
  });
});

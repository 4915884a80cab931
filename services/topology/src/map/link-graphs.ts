import { createFairQueue, ownTasksLimited } from "@nts/shared/scheduling/fair-queue";

/**
 * All links of a network, or of the past, are read at once to tell what hangs on what: of 20,000 this takes some 10 MiB, and a
 * tenth of a second in which nothing else is done. The organizations take turns.
 */
export const linkGraphs = createFairQueue({
  ...{ atATime: 2, ofKey: 1, mostWaiting: 64, longestWaitMs: 4_000, duty: 0.5, longestRestMs: 500 },
  refusal: ownTasksLimited(1),
});

import { randomUUID } from "node:crypto";
import { UNCONFIRMED } from "@nts/shared/mongo/connect";
import { placeOf } from "@nts/shared/numbered";
import { BY_ID } from "../storage/indexes.js";
import type { JournalCollections } from "./collections.js";
import type { EntityEvent } from "./entries.rules.js";
import { AT_A_TURN } from "./writer.js";

// Events that cannot be recorded yet, kept in the database because their number is unbounded. A new journal process
// reads them from the change stream again, and abandoned ones expire, so durability is not needed.

/** A range of an organization's events. */
export interface Stretch {
  readonly organizationId: string;
  readonly first: number;
  /** May grow until it is read. */
  last: number;
  isRead: boolean;
}

export interface Backlog {
  /** Appends events to those of their organization. @returns the number of the last one */
  put(organizationId: string, events: readonly EntityEvent[]): Promise<number>;
  /** @throws Error if some of it no longer exists */
  read(stretch: Stretch): AsyncGenerator<readonly EntityEvent[]>;
  remove(stretch: Stretch): Promise<void>;
}

export function createBacklog({ backlog }: Pick<JournalCollections, "backlog">): Backlog {
  const run = randomUUID();
  const numbers = new Map<string, number>();
  const idOf = (organizationId: string, n: number): string => `${run}:${placeOf(organizationId, n)}`;
  const within = ({ organizationId, first, last }: Omit<Stretch, "isRead">) => ({
    organization_id: organizationId,
    _id: { $gte: idOf(organizationId, first), $lte: idOf(organizationId, last) },
  });

  return {
    put: async (organization_id, events) => {
      const n = numbers.get(organization_id) ?? 0;
      const at = new Date();
      const documents = events.map((event, i) => {
        const _id = idOf(organization_id, n + i + 1);
        return { _id, organization_id, at, happening: event };
      });
      await backlog.insertMany(documents, { ignoreUndefined: true, writeConcern: UNCONFIRMED });
      numbers.set(organization_id, n + documents.length);
      return n + documents.length;
    },
    async *read(stretch) {
      const { organizationId } = stretch;
      let { first } = stretch;
      while (first <= stretch.last) {
        const some = { organizationId, first, last: Math.min(first + AT_A_TURN - 1, stretch.last) };
        // A majority may not have confirmed them yet.
        const options = { hint: BY_ID, readConcern: { level: "local" } } as const;
        const found = await backlog.find(within(some), options).sort({ _id: 1 }).toArray();
        if (found.length !== some.last - first + 1)
          throw new Error("entries that were waiting for the journal no longer exist");
        first += found.length;
        yield found.map(({ happening: event }) => event);
      }
      stretch.isRead = true;
    },
    remove: async (stretch) => {
      await backlog.deleteMany(within(stretch), { hint: BY_ID, writeConcern: UNCONFIRMED });
    },
  };
}

import { randomUUID } from "node:crypto";
import { UNCONFIRMED } from "@nts/shared/mongo/connect";
import { placeOf } from "@nts/shared/numbered";
import { BY_ID } from "../storage/indexes.js";
import type { JournalCollections } from "./collections.js";
import type { Happening } from "./entries.rules.js";
import { BATCH } from "./writer.js";

// What has happened and cannot be told yet. It waits in the database, because nobody knows how much it becomes; a process that
// begins to keep the journal takes it from the stream again, and what another one has left ends by its age. So it need not be on disk.

/** The happenings of an organization from one number to another. */
export interface Stretch {
  readonly organizationId: string;
  readonly first: number;
  /** May grow until it is read. */
  last: number;
  isRead: boolean;
}

export interface Backlog {
  /** Puts happenings behind those of their organization. @returns the number of the last one */
  put(organizationId: string, happenings: readonly Happening[]): Promise<number>;
  /** @throws Error when something of it is not there any more */
  read(stretch: Stretch): AsyncGenerator<readonly Happening[]>;
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
    put: async (organization_id, happenings) => {
      const n = numbers.get(organization_id) ?? 0;
      const at = new Date();
      const documents = happenings.map((happening, i) => {
        const _id = idOf(organization_id, n + i + 1);
        return { _id, organization_id, at, happening };
      });
      await backlog.insertMany(documents, { ignoreUndefined: true, writeConcern: UNCONFIRMED });
      numbers.set(organization_id, n + documents.length);
      return n + documents.length;
    },
    async *read(stretch) {
      const { organizationId } = stretch;
      let { first } = stretch;
      while (first <= stretch.last) {
        const some = { organizationId, first, last: Math.min(first + BATCH - 1, stretch.last) };
        const found = await backlog.find(within(some), { hint: BY_ID }).sort({ _id: 1 }).toArray();
        if (found.length !== some.last - first + 1) throw new Error("what had to wait for the journal is gone");
        first += found.length;
        yield found.map(({ happening }) => happening);
      }
      stretch.isRead = true;
    },
    remove: async (stretch) => {
      await backlog.deleteMany(within(stretch), { hint: BY_ID, writeConcern: UNCONFIRMED });
    },
  };
}

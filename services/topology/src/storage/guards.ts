import { randomInt } from "node:crypto";
import type { ClientSession, Collection, Db } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { within } from "./scope.js";

// A reference is safe only when its writer and the deleter of its target write one common document: a transaction that
// only reads the target does not collide with the one that deletes it. Networks, subnets and tags have sixteen guards each:
// adding a reference writes one of them at random, deleting the target writes them all. Sixteen, because a single one
// makes all writers of a network wait for each other.
// The guards of a network also carry how many entities of each kind it has, in parts that sum up; so the total of a
// list costs the same however long it is.

const GUARDS = 16;

/** How many lanes there are, see {@link Guards.inLane}. */
export const LANES = GUARDS;

/** Kinds of entities that guards of a network count. */
export const COUNTED = ["subnets", "hosts", "interfaces", "ports", "services", "bindings"] as const;
export type Counted = (typeof COUNTED)[number];
export type Counts = Partial<Record<Counted, number>>;

export interface GuardDocument {
  _id: string;
  target: string;
  kind: "network" | "subnet" | "tag";
  organization_id: string;
  /** null for a tag. */
  network_id: string | null;
  /** Written so that two writers collide; its value means nothing. */
  touched: number;
  counts: Counts;
}

export interface Guards {
  create(
    session: ClientSession,
    target: Pick<GuardDocument, "target" | "kind" | "organization_id" | "network_id">,
  ): Promise<void>;
  /** Secures a new reference to the target. @returns false when there is no such target in the scope */
  hold(session: ClientSession, scope: Scope, target: string, kind: GuardDocument["kind"]): Promise<boolean>;
  /** Secures entities that are added to, or taken from, a network, and counts them. @returns false as for `hold` */
  count(session: ClientSession, scope: Scope, networkId: string, change: Counts): Promise<boolean>;
  /**
   * The guards of which each target's `lane`th one is written and not one at random: transactions of one lane collide, and
   * those of different lanes do not.
   */
  inLane(lane: number): Guards;
  /** Collides with whoever adds a reference to the target at the same time. */
  seal(session: ClientSession, scope: Scope, target: string): Promise<void>;
  remove(session: ClientSession, scope: Scope, targets: readonly string[]): Promise<void>;
  /** Removes the guards of networks and of everything in them. */
  removeNetworks(session: ClientSession, scope: Scope, networkIds: readonly string[]): Promise<void>;
  /** How many entities of a kind the scope has. */
  total(scope: Scope, counted: Counted): Promise<number>;
}

export function createGuards(db: Db): Guards {
  return createLane(db.collection("guards"), () => randomInt(GUARDS));
}

/** @param choose which guard of a target is written */
function createLane(guards: Collection<GuardDocument>, choose: () => number): Guards {
  async function touch(
    session: ClientSession,
    scope: Scope,
    { target, kind }: Pick<GuardDocument, "target" | "kind">,
    change: Counts,
  ): Promise<boolean> {
    const increments = Object.entries(change).map(([counted, by]): [string, number] => [`counts.${counted}`, by]);
    const touched = await guards.updateOne(
      { ...within(scope), _id: `${target}:${choose()}`, kind },
      { $inc: { touched: 1, ...Object.fromEntries(increments) } },
      { session },
    );
    return touched.matchedCount === 1;
  }

  return {
    create: async (session, target) => {
      const documents = Array.from({ length: GUARDS }, (_, n) => ({
        ...target,
        _id: `${target.target}:${n}`,
        touched: 0,
        counts: {},
      }));
      await guards.insertMany(documents, { session });
    },
    hold: (session, scope, target, kind) => touch(session, scope, { target, kind }, {}),
    count: (session, scope, networkId, change) => touch(session, scope, { target: networkId, kind: "network" }, change),
    inLane: (lane) => createLane(guards, () => lane),
    seal: async (session, scope, target) => {
      await guards.updateMany({ ...within(scope), target }, { $inc: { touched: 1 } }, { session });
    },
    remove: async (session, scope, targets) => {
      await guards.deleteMany({ ...within(scope), target: { $in: targets } }, { session });
    },
    removeNetworks: async (session, scope, networkIds) => {
      await guards.deleteMany({ $and: [within(scope), { network_id: { $in: networkIds } }] }, { session });
    },
    total: async (scope, counted) => {
      const [sum] = await guards
        .aggregate<{ total: number }>([
          { $match: { ...within(scope), kind: "network" } },
          { $group: { _id: null, total: { $sum: `$counts.${counted}` } } },
        ])
        .toArray();
      return sum?.total ?? 0;
    },
  };
}

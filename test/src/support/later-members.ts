/** Members that a later build might have added to stored documents, which other builds must keep. */
import { isDeepStrictEqual } from "node:util";
import { MongoClient } from "mongodb";
import type { Stack } from "./stack.js";

/** Ids of the entities being written. */
export interface WrittenIds {
  readonly hosts: readonly string[];
  readonly keys: readonly string[];
  readonly webhookId: string;
  readonly userId: string;
  /** The user whose level is written repeatedly. */
  readonly colleagueId: string;
  readonly organizationId: string;
}

interface StoredDocument {
  _id: string;
  /** The entity as JSON text, in the database of topology. */
  wire?: string;
  revision: number;
  later?: string;
}

/** Fields that imports write next to hosts; builds that do not know them keep them as well. */
const HOST_FIELDS = {
  ...{ sighted: true, seen_first: 1, seen_last: 2, seen_by: "nmap", seen_how: "mac_address", missed: 3 },
  lost_macs: ["02:00:00:00:00:01"],
};
/** Memberships in other organizations, times of secrets, and their maximum age. */
const TIMES = { created_at: new Date(), updated_at: new Date(), revision: 1 };
const OTHER_MEMBERSHIP = { organization_id: "elsewhere", ...TIMES, permissions: "Viewer", network_ids: [] };
const USER_FIELDS = { other_memberships: [OTHER_MEMBERSHIP] };
const KEY_FIELDS = { issued_at: new Date() };
const ORGANIZATION_FIELDS = { max_key_lifetime_days: 365 };
const MEMBER = "later";
const VALUE = "of a later build";

/** Adds a member to these documents, and to the entities in them. @returns a check for lost members */
export async function addLaterMembers(
  { servers, databases }: Stack,
  { hosts, keys, webhookId, userId, colleagueId, organizationId }: WrittenIds,
): Promise<{ missing(): Promise<string[]> }> {
  const client = new MongoClient(servers.urls.mongodb);
  const open = (database: string, name: string) => client.db(database).collection<StoredDocument>(name);
  const planted = [
    { collection: open(databases.topology, "hosts"), ids: hosts, beside: HOST_FIELDS },
    { collection: open(databases.topology, "webhooks"), ids: [webhookId] },
    { collection: open(databases.identity, "api_keys"), ids: keys, beside: KEY_FIELDS },
    { collection: open(databases.identity, "users"), ids: [userId] },
    { collection: open(databases.identity, "users"), ids: [colleagueId], beside: USER_FIELDS },
    { collection: open(databases.identity, "organizations"), ids: [organizationId], beside: ORGANIZATION_FIELDS },
  ];
  for (const { collection, ids, beside = {} } of planted)
    for (const _id of ids)
      for (let isDone = false; !isDone;) {
        const { wire } = (await collection.findOne({ _id }))!;
        const inEntity = wire === undefined ? {} : { wire: JSON.stringify({ ...JSON.parse(wire), [MEMBER]: VALUE }) };
        const unchanged = { _id, ...(wire !== undefined && { wire }) };
        const { matchedCount } = await collection.updateOne(unchanged, {
          $set: { [MEMBER]: VALUE, ...beside, ...inEntity },
        });
        isDone = matchedCount === 1;
      }

  return {
    missing: async () => {
      const lost: string[] = [];
      for (const { collection, ids, beside = {} } of planted)
        for (const _id of ids) {
          const missing = missingIn(await collection.findOne({ _id }), beside);
          lost.push(...missing.map((what) => `${what} of ${collection.collectionName} ${_id}`));
        }
      await client.close();
      return lost;
    },
  };
}

function missingIn(stored: StoredDocument | null, beside: object): string[] {
  const entity = stored?.wire === undefined ? stored : (JSON.parse(stored.wire) as StoredDocument);
  const notes = Object.entries(beside).filter(
    ([name, value]) => !isDeepStrictEqual((stored as Record<string, unknown> | null)?.[name], value),
  );
  const isKept = stored?.later === VALUE && entity?.later === VALUE;
  return [...notes.map(([name]) => name), ...(isKept ? [] : ["a member that a later build might have added"])];
}

import type { Filter } from "mongodb";
import { Webhook } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Database } from "../database.js";
import { createEntities, type Entities, type EntityDocument, type EntityKind } from "../entities.js";

/** What webhooks are told to send. How far they have come is kept beside them, see `webhook-states.ts`. */
export type WebhookStore = Entities<Webhook>;

const WEBHOOK_KIND: EntityKind<Webhook> = {
  collection: "webhooks",
  name: "Webhook",
  networkOf: null,
  keysOf: ({ filter }) => ({ networks: filter.network_ids }),
  clean: (entity) => Webhook.parse(entity),
};

export function createWebhookStore(database: Database): WebhookStore {
  return createEntities<Webhook>(database, WEBHOOK_KIND);
}

/** Those that a caller may see; a webhook that names no networks tells of all. */
export function webhooksSeenFrom({ networks }: Scope): Filter<EntityDocument> {
  return networks === "all" ? {} : { networks: { $ne: [], $not: { $elemMatch: { $nin: [...networks] } } } };
}

import type { Filter } from "mongodb";
import { Webhook } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Database } from "../database.js";
import { createEntities, type Entities, type EntityDocument, type EntityKind } from "../entities.js";

/** The settings of webhooks. Their progress is stored separately, see `webhook-states.ts`. */
export type WebhookStore = Entities<Webhook>;

const WEBHOOK_KIND: EntityKind<Webhook> = {
  collection: "webhooks",
  name: "Webhook",
  networkOf: null,
  keysOf: ({ filter }) => ({ networks: filter.network_ids }),
  clean: (entity) => Webhook.parse(entity),
  form: {
    version: 2,
    upgrade: (stored) => ({ ...stored, filter: { ...stored.filter, known: stored.filter.known ?? null } }),
  },
};

export function createWebhookStore(database: Database): WebhookStore {
  return createEntities<Webhook>(database, WEBHOOK_KIND);
}

/** Those visible to the caller; a webhook without networks covers all. */
export function webhooksSeenFrom({ networks }: Scope): Filter<EntityDocument> {
  return networks === "all" ? {} : { networks: { $ne: [], $not: { $elemMatch: { $nin: [...networks] } } } };
}

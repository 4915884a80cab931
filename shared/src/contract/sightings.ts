import { z } from "zod";
import { Id, Instant, Timestamp } from "./common.js";

// What imports have found, and what they miss. It is no part of an entity: neither its revision nor the journal know of it.
// @see docs/sightings.md

const Seen = z
  .object({
    first_at: Timestamp,
    last_at: Timestamp,
    by: z.string().describe("The format of the last import."),
  })
  .nullable()
  .describe("When imports found it. No part of the `ETag`; absent in the past.")
  .meta({ id: "Seen" });

const MissedSince = Timestamp.nullable()
  .describe("Since when imports that covered it have not found it.")
  .meta({ id: "MissedSince" });

/** Members that answers have beside the entity itself; absent in reads of the past, and in the journal. */
export const sighting = { seen: Seen.optional(), missed_since: MissedSince.optional() };

/** Something that was covered and not found. */
export const Missing = z
  .object({
    entity: z.enum(["Host", "Interface", "Port", "Service"]),
    id: Id,
    network_id: Id,
    host_id: Id,
    name: z.string(),
    seen: Seen,
    missed_since: Timestamp,
  })
  .meta({ id: "Missing" });
export type Missing = z.infer<typeof Missing>;

const count = z.int();
export const MissingCounts = z
  .object({ hosts: count, interfaces: count, ports: count, services: count })
  .meta({ id: "MissingCounts" });
export type MissingCounts = z.infer<typeof MissingCounts>;

/** What imports know of an entity. */
export interface Sighting {
  readonly seen: { readonly first_at: string; readonly last_at: string; readonly by: string } | null;
  readonly missed_since: string | null;
}

/** Of what no import has found or missed. */
export const NEVER_SEEN: Sighting = { seen: null, missed_since: null };

/** Filters of lists of what can be seen; they mean nothing in the past. */
export const sightingFilters = {
  missed: z.boolean().optional().describe("Only what is missed, or is not."),
  seen_before: Instant.optional().describe("Only what was found last before this time."),
};

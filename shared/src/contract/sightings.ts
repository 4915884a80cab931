import { z } from "zod";
import { Id, Instant, Timestamp } from "./common.js";
import { forPlurals, SIGHTED_KINDS } from "./kinds.js";

// When imports found or missed an entity. Not part of the entity, its revision or the journal. @see docs/sightings.md

/** From the strongest to the weakest. */
export const RecognizedBy = z
  .enum([
    "request",
    "mac_address",
    "chassis_id",
    "former_mac_address",
    "serial",
    "duid",
    "machine_id",
    "hostname",
    "ip_address",
  ])
  .meta({ id: "EvidenceKind" });
export type RecognizedBy = z.infer<typeof RecognizedBy>;

const Seen = z
  .object({
    first_at: Timestamp,
    last_at: Timestamp,
    by: z.string().describe("Format of the last import that found it."),
    recognized_by: RecognizedBy.optional().describe(
      "Of a host: by what that import took it for this one, as first in the `evidence` of its plan. Absent if that import created it, or was one of a version that did not keep it.",
    ),
  })
  .meta({ id: "Seen" })
  .nullable()
  .describe("When imports found it. Not part of the `ETag`; absent from past states.");

const MissedSince = Timestamp.nullable().describe("Since when imports that cover it have not found it.");

/** Additional members of responses; absent from past states and the journal. */
export const sighting = { seen: Seen.optional(), missed_since: MissedSince.optional() };

export const SightedEntity = z.enum(SIGHTED_KINDS).meta({ id: "SightedEntity" });

/** An entity that an import covered but did not find. */
export const Missing = z
  .object({
    entity: SightedEntity,
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
export const MissingCounts = z.object(forPlurals(SIGHTED_KINDS, () => count)).meta({ id: "MissingCounts" });
export type MissingCounts = z.infer<typeof MissingCounts>;

/** When imports found or missed an entity. */
export interface Sighting {
  readonly seen: {
    readonly first_at: string;
    readonly last_at: string;
    readonly by: string;
    readonly recognized_by?: RecognizedBy;
  } | null;
  readonly missed_since: string | null;
}

/** For entities that no import has found or missed. */
export const NEVER_SEEN: Sighting = { seen: null, missed_since: null };

/** List filters for entities with sightings; not applicable to past states. */
export const sightingFilters = {
  missed: z.boolean().optional().describe("Only entities that are missed, or only those that are not."),
  seen_before: Instant.optional().describe("Only entities last found before this time."),
};

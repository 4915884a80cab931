import { NEVER_SEEN, type RecognizedBy, type Sighting } from "@nts/shared/contract/sightings";

// Sightings are document fields next to the entity's text, so they affect neither revision nor journal, and are deleted
// with the entity.

/** Times in milliseconds; absent if unknown. */
export interface SightingFields {
  readonly seen_first?: number | undefined;
  readonly seen_last?: number | undefined;
  readonly seen_by?: string | undefined;
  /** By what a host was recognized. */
  readonly seen_how?: string | undefined;
  readonly missed?: number | undefined;
}

/** The projection for sightings. */
export const SIGHTING = { seen_first: 1, seen_last: 1, seen_by: 1, seen_how: 1, missed: 1 } as const;

export function sightingIn({ seen_first, seen_last, seen_by = "", seen_how, missed }: SightingFields): Sighting {
  if (seen_last === undefined && missed === undefined) return NEVER_SEEN;
  const seen =
    seen_last === undefined
      ? null
      : {
          first_at: timeOf(seen_first ?? seen_last),
          last_at: timeOf(seen_last),
          by: seen_by,
          ...(seen_how !== undefined && { recognized_by: seen_how as RecognizedBy }),
        };
  return { seen, missed_since: missed === undefined ? null : timeOf(missed) };
}

/** The end of an entity's JSON: its sighting members and the closing brace. */
export function endingOf(sighting: Sighting): string {
  return `,${JSON.stringify(sighting).slice(1)}`;
}

/** Most entities of an import were seen at the same few times. */
const last: { ms: number; text: string }[] = [];

function timeOf(ms: number): string {
  const known = last.find((one) => one.ms === ms);
  if (known !== undefined) return known.text;
  const text = new Date(ms).toISOString();
  last.unshift({ ms, text });
  last.length = Math.min(last.length, 4);
  return text;
}

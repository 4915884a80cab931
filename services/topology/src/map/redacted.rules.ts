import type { HiddenPart } from "@nts/shared/contract/shares";

// Names that people and programs give often contain addresses.

const INSTEAD = "…";

const ADDRESSES = [
  /(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4})(?:%\w+)?(?:\/\d{1,3})?(?![\w:])/gi,
  // also as in ip-10-0-0-5
  /(?<!\d)\d{1,3}(?:[._-]\d{1,3}){3}(?!\d)(?:\/\d{1,2})?/g,
];

const MACS = [
  /(?<!\w)[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}(?!\w)/gi,
  /(?<!\w)[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}(?!\w)/gi,
  /(?<!\w)(?=[0-9a-f]*\d)[0-9a-f]{12}(?!\w)/gi,
];

/** A text without what is hidden. */
export function redacted(text: string, hide: readonly HiddenPart[]): string {
  const patterns = [...(hide.includes("macs") ? MACS : []), ...(hide.includes("addresses") ? ADDRESSES : [])];
  return patterns.reduce((rest, pattern) => rest.replace(pattern, INSTEAD), text);
}

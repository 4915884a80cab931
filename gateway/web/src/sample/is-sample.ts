import type { Network } from "@nts/shared/contract";

/** The attribute by which the sample network is known. */
export const SAMPLE_ATTRIBUTE = "sample";

/** Whether a network is the one that was made to try the console. */
export function isSample({ attributes }: Pick<Network, "attributes">): boolean {
  return attributes[SAMPLE_ATTRIBUTE] === true;
}

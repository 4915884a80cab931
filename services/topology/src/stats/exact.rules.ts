import type { Stats } from "@nts/shared/contract";

/** Statistics with the exact size of each subnet. */
export interface ExactStats extends Omit<Stats, "subnets"> {
  readonly subnets: readonly (Omit<Stats["subnets"][number], "size"> & { readonly size: bigint })[];
}

/** The JSON text. Built by hand where sizes are: JSON integers have any size, JavaScript's do not. */
export function jsonOf({ subnets, ...others }: ExactStats): string {
  const listed = subnets.map(
    ({ size, used, ...subnet }) => `${JSON.stringify(subnet).slice(0, -1)},"size":${size},"used":${used}}`,
  );
  return `${JSON.stringify(others).slice(0, -1)},"subnets":[${listed.join(",")}]}`;
}

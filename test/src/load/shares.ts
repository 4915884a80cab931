/** A quantile, 0.5 being the median; 0 when there are no values. @param sorted ascending */
export function valueAt(share: number, sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

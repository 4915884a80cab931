/** The resources of a process at one moment. */
export interface Reading {
  readonly atMs: number;
  readonly residentMb: number;
  readonly descriptors: number;
}

/** The change of resources; pairs are the medians of the first and the last third of the period. */
export interface Growth {
  readonly mbPerMinute: number;
  readonly residentMb: readonly [first: number, last: number];
  readonly descriptors: readonly [first: number, last: number];
}

/**
 * The growth after warming up, as the least-squares slope: garbage collection makes single readings jump. @throws Error
 * when there are too few readings
 */
export function growthOf(readings: readonly Reading[], warmUpMs: number): Growth {
  const startMs = readings[0]?.atMs ?? 0;
  const used = readings.filter(({ atMs }) => atMs - startMs >= warmUpMs);
  if (used.length < 6) throw new Error(`${used.length} readings after warming up are too few`);
  const third = Math.floor(used.length / 3);
  const ends = [used.slice(0, third), used.slice(-third)] as const;
  const both = (valueOf: (reading: Reading) => number): [number, number] => [
    medianOf(ends[0].map(valueOf)),
    medianOf(ends[1].map(valueOf)),
  ];
  return {
    mbPerMinute: slopeOf(used.map(({ atMs, residentMb }) => [atMs / 60_000, residentMb])),
    residentMb: both(({ residentMb }) => residentMb),
    descriptors: both(({ descriptors }) => descriptors),
  };
}

function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = meanOf(points.map(([x]) => x));
  const meanY = meanOf(points.map(([, y]) => y));
  const products = points.map(([x, y]) => (x - meanX) * (y - meanY));
  const squares = points.map(([x]) => (x - meanX) ** 2);
  return meanOf(products) / meanOf(squares);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

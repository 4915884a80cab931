import { Histogram, type HistogramConfiguration, type LabelValues } from "prom-client";

/** Counts durations into the series of a histogram. */
export interface Durations<Label extends string> {
  /** Begins a series; to be asked for once for the same labels. */
  begin(labels: LabelValues<Label>): CountDuration;
}

/** Counts a duration in seconds, or so many of it. */
export type CountDuration = (seconds: number, times?: number) => void;

interface Series<Label extends string> {
  readonly labels: LabelValues<Label>;
  /** Observations by bucket, those beyond the last bound at the end. */
  readonly counts: Float64Array;
  sumSeconds: number;
}

/**
 * A histogram of prom-client that is counted here: finding a series by its labels and a bucket by the text of its bound, as
 * the library does for each observation, would cost more than all the routing of a request.
 *
 * @param configuration `buckets` are upper bounds in seconds, ascending
 */
export function createDurations<Label extends string>(
  configuration: HistogramConfiguration<Label> & { buckets: number[] },
): Durations<Label> {
  const { name, help, buckets: bounds } = configuration;
  const all: Series<Label>[] = [];

  function valuesOf({ labels: sharedLabels, counts, sumSeconds }: Series<Label>) {
    let count = 0;
    const buckets = [...bounds, "+Inf"].map((le, index) => {
      count += counts[index] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le }, sharedLabels, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: {}, sharedLabels, value: sumSeconds },
      { metricName: `${name}_count`, labels: {}, sharedLabels, value: count },
    ];
  }

  // What the registry asks a metric for, and the library's own `get` too.
  const getForPromString = (): Promise<unknown> =>
    Promise.resolve({ name, help, type: "histogram", aggregator: "sum", values: all.flatMap(valuesOf) });
  Object.assign(new Histogram(configuration), { getForPromString });

  return {
    begin: (labels) => {
      const series = { labels, counts: new Float64Array(bounds.length + 1), sumSeconds: 0 };
      all.push(series);
      return (seconds, times = 1) => {
        let bucket = 0;
        while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket++;
        series.counts[bucket] = (series.counts[bucket] ?? 0) + times;
        series.sumSeconds += seconds * times;
      };
    },
  };
}

import { Histogram, type HistogramConfiguration, type LabelValues } from "prom-client";

interface Series<Label extends string> {
  readonly labels: LabelValues<Label>;
  /** Observations by bucket, those beyond the last bound at the end. */
  readonly counts: Float64Array;
  sumSeconds: number;
}

/**
 * A histogram of prom-client that is counted by itself: finding a series by its labels and a bucket by the text of its bound,
 * as the library does for each observation, would cost more than all the routing of a request.
 */
export class Durations<Label extends string> extends Histogram<Label> {
  readonly #series: Series<Label>[] = [];
  readonly #bounds: readonly number[];
  readonly #head: { readonly name: string; readonly help: string };

  /** `buckets` are upper bounds in seconds, ascending. */
  constructor(configuration: HistogramConfiguration<Label> & { buckets: number[] }) {
    super(configuration);
    const { name, help, buckets } = configuration;
    this.#bounds = buckets;
    this.#head = { name, help };
  }

  /** Begins a series; what it answers counts seconds in it. To be asked for once for the same labels. */
  begin(labels: LabelValues<Label>): (seconds: number) => void {
    const bounds = this.#bounds;
    const series = { labels, counts: new Float64Array(bounds.length + 1), sumSeconds: 0 };
    this.#series.push(series);
    return (seconds) => {
      let bucket = 0;
      while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket++;
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.sumSeconds += seconds;
    };
  }

  /** What the registry asks a metric for, and the library's own `get` too. */
  getForPromString(): Promise<unknown> {
    const values = this.#series.flatMap((series) => this.#valuesOf(series));
    return Promise.resolve({ ...this.#head, type: "histogram", aggregator: "sum", values });
  }

  #valuesOf({ labels: sharedLabels, counts, sumSeconds }: Series<Label>) {
    const { name } = this.#head;
    let count = 0;
    const buckets = [...this.#bounds, "+Inf"].map((le, index) => {
      count += counts[index] ?? 0;
      return { metricName: `${name}_bucket`, labels: { le }, sharedLabels, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: {}, sharedLabels, value: sumSeconds },
      { metricName: `${name}_count`, labels: {}, sharedLabels, value: count },
    ];
  }
}

import { describe, expect, it } from "@jest/globals";
import { createBatchSize } from "./batch-size.js";

const job = (n: number, documents = 10, label: string | null = null) => ({
  documents,
  label,
  match: null,
  identities: { ipAddresses: [`10.0.0.${n}`], macAddresses: [] },
});
const jobs = Array.from({ length: 300 }, (_, n) => job(n));
const sizes = (batches: Iterable<readonly unknown[]>): number[] => [...batches].map(({ length }) => length);

describe("batches of hosts", () => {
  it("grow after quick ones, up to a thousand documents, and shrink after slow ones", () => {
    const size = createBatchSize();
    const first = (): number => sizes(size.batchesOf(jobs))[0] ?? 0;
    const grown = Array.from({ length: 4 }, () => {
      const length = first();
      size.took(jobs.slice(0, length), 50);
      return length;
    });
    expect(grown).toEqual([37, 75, 100, 100]);
    size.took(jobs.slice(0, 100), 300);
    expect(first()).toBe(100);
    for (let n = 0; n < 6; n++) size.took(jobs.slice(0, 100), 2_000);
    expect(first()).toBe(10);
  });

  it("do not grow because a few hosts are quick", () => {
    const size = createBatchSize();
    for (let n = 0; n < 6; n++) size.took(jobs.slice(0, 1), 5);
    expect(sizes(size.batchesOf(jobs))[0]).toBe(37);
  });

  it("are of about one size, without a small rest", () => {
    expect(sizes(createBatchSize().batchesOf(jobs.slice(0, 90)))).toEqual([30, 30, 30]);
  });

  it("take a host that is larger than one, and end before a host with the same address or name", () => {
    const { batchesOf } = createBatchSize();
    expect(sizes(batchesOf([job(1, 5_000), job(2)]))).toEqual([1, 1]);
    expect(sizes(batchesOf([job(1), job(2), job(1), job(3)]))).toEqual([2, 2]);
    expect(sizes(batchesOf([job(1, 10, "nas"), job(2, 10, "nas")]))).toEqual([1, 1]);
  });
});

/** Calls a task for each index, with limited concurrency. @returns the results in order */
export async function mapConcurrently<T>(
  count: number,
  concurrency: number,
  task: (n: number) => Promise<T>,
): Promise<T[]> {
  const results = new Array<T>(count);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const n = next++;
      results[n] = await task(n);
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, concurrency) }, work));
  return results;
}

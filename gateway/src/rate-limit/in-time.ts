/**
 * Settles like the promise, or rejects after a timeout. The time starts after this tick, when calls are written, and
 * pending input is read before it ends: a busy process must not take Redis for slow.
 */
export function inTime<Result>(promise: Promise<Result>, ms: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(new Error(`redis took longer than ${ms} ms`));
    };
    let timer: NodeJS.Timeout | undefined;
    const immediate = setImmediate(() => {
      timer = setTimeout(setImmediate, ms, giveUp);
    });
    const settled = (): void => {
      clearImmediate(immediate);
      clearTimeout(timer);
    };
    promise.finally(settled).then(resolve, reject);
  });
}

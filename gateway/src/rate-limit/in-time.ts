/**
 * Settles as the promise does, or rejects when that takes longer. The time begins after this tick of the event loop, which is
 * when calls are written, and at its end what has arrived is read first: a process that was busy is not taken for a slow Redis.
 */
export function inTime<Result>(promise: Promise<Result>, ms: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(new Error(`redis took longer than ${ms} ms`));
    };
    let timer: NodeJS.Timeout | undefined;
    const begun = setImmediate(() => {
      timer = setTimeout(setImmediate, ms, giveUp);
    });
    const settled = (): void => {
      clearImmediate(begun);
      clearTimeout(timer);
    };
    promise.finally(settled).then(resolve, reject);
  });
}

/** Yields the same, requesting each item while the one before is processed. A reader that stops early ends the source. */
export async function* readAhead<T>(items: AsyncGenerator<T, void, void>): AsyncGenerator<T, void, void> {
  try {
    let next = items.next();
    for (let item = await next; item.done !== true; item = await next) {
      next = items.next();
      // Handled when it is awaited, which a reader that stops early does not reach.
      next.catch(() => undefined);
      yield item.value;
    }
  } finally {
    await items.return();
  }
}

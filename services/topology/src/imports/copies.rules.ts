/** A copy, because texts that were cut out of a larger one keep all of it in memory. */
export function copyOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

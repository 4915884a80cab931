/** What we use of the library, which publishes no types. */
declare module "fresh" {
  /** True when the answer with these headers is what the client has already. */
  export default function fresh(
    request: Readonly<Record<string, unknown>>,
    answer: Readonly<Record<string, string>>,
  ): boolean;
}

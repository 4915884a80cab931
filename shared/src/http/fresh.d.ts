/** The part of the library that we use; it has no types. */
declare module "fresh" {
  /** True if the client already has the response with these headers. */
  export default function fresh(
    request: Readonly<Record<string, unknown>>,
    response: Readonly<Record<string, string>>,
  ): boolean;
}

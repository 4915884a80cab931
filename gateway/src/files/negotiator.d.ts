/** The part of the library that we use; the published types lack `preferred`. */
declare module "negotiator" {
  export default class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string | undefined>> });
    /** @param preferred decides if the client has no preference */
    encoding<E extends string>(available: readonly E[], options: { readonly preferred: readonly E[] }): E | undefined;
    mediaType<T extends string>(available: readonly T[]): T | undefined;
  }
}

import type { Provider as ProviderResponse } from "@nts/shared/contract/providers";
import { AppError } from "@nts/shared/errors";
import type { Log } from "@nts/shared/log";
import { createProvider, type Provider } from "./provider.js";
import type { ProviderSettings } from "./settings.js";

/** The configured providers. */
export interface Providers {
  readonly list: ProviderResponse[];
  /** Names by id. */
  readonly names: ReadonlyMap<string, string>;
  /** @throws AppError `not_found` */
  get(id: string): Provider;
  /** Fetches the metadata of each, and logs wrong settings. */
  check(log: Log): Promise<void>;
}

/** @param publicUrl to which providers redirect browsers */
export function createProviders(settings: readonly ProviderSettings[], publicUrl: string): Providers {
  const all = new Map(settings.map((one) => [one.id, createProvider(one, publicUrl)]));
  const list = settings.map(({ id, name }) => ({ id, name }));
  return {
    list,
    names: new Map(list.map(({ id, name }) => [id, name])),
    get: (id) => {
      const provider = all.get(id);
      if (provider === undefined) throw new AppError("not_found", { entity: "Provider" });
      return provider;
    },
    check: async (log) => {
      const checks = [...all.values()].map(async ({ settings: { id, issuer }, check }, at) =>
        check().catch((error: unknown) => {
          const setting = `OIDC_PROVIDERS.${at}.issuer`;
          log.error(
            { err: error, provider: id, issuer, setting },
            "sign-in by a provider is impossible: its issuer does not respond as one",
          );
        }),
      );
      await Promise.all(checks);
    },
  };
}

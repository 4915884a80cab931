import type { Webhook } from "@nts/shared/contract";

const names = new Intl.Collator("en", { numeric: true });

/** Compares numbers inside of names and addresses by value: `host 2` comes before `host 10`. */
export function compareNames(a: string, b: string): number {
  return names.compare(a, b);
}

/** The name of a webhook: its host, because the rest of the URL may be a secret. */
export function webhookName({ url }: Pick<Webhook, "url">): string {
  return new URL(url).host;
}

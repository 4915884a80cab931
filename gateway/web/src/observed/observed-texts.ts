import type { ObservedOfHost, ObservedOfService } from "@nts/shared/contract";

const SOON_DAYS = 30;
const DAY_MS = 86_400_000;

/** Such as `nginx 1.26.0`. */
export function productText({ product, version }: ObservedOfService): string {
  return [product?.value, version?.value].filter((part) => part !== undefined).join(" ");
}

/** Such as `Ubuntu 22.04 (96 %)`; the version only if the name does not say it. */
export function systemText({ name, version, accuracy }: NonNullable<ObservedOfHost["os"]>): string {
  const whole = version === null || accuracy !== null || name.includes(version) ? name : `${name} ${version}`;
  return accuracy === null || accuracy === 100 ? whole : `${whole} (${accuracy} %)`;
}

/** Whether a certificate has ended, or ends within 30 days. */
export function certificateState(until: string, nowMs: number): "ended" | "ending" | "valid" {
  const leftMs = Date.parse(until) - nowMs;
  if (leftMs < 0) return "ended";
  return leftMs < SOON_DAYS * DAY_MS ? "ending" : "valid";
}

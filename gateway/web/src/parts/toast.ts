import type { NotificationData } from "@mantine/notifications";
import { useSyncExternalStore } from "react";
import { describeFailure } from "../api/failure.js";

// Few visits have anything to report. The library is loaded when people begin to do something, because what there is to
// report may be that the server cannot be reached.

const COMMON = { withBorder: true, closeButtonProps: { "aria-label": "Close" } } as const;

/** Reports a success. */
export function notifySuccess(message: string): void {
  show({ message, color: "teal" });
}

/** Reports a failure that cannot be shown elsewhere. */
export function notifyFailure(error: unknown): void {
  const { title, text } = describeFailure(error);
  notifyRefusal(title, text);
}

/** Reports that something is not possible yet, and what to do. */
export function notifyRefusal(title: string, message: string): void {
  show({ title, message, color: "red", autoClose: 8_000 });
}

const load = () => import("@mantine/notifications");

/** Called once, when the console starts. */
export function loadWhenUsed(): void {
  for (const begin of ["pointerdown", "keydown"])
    window.addEventListener(begin, () => void load().catch(() => undefined), { once: true });
}

let hasReports = false;
const listeners = new Set<() => void>();

interface Report extends NotificationData {
  readonly title?: string;
  readonly message: string;
}

function show(report: Report): void {
  hasReports = true;
  for (const listener of listeners) listener();
  load().then(
    ({ notifications }) => notifications.show({ ...COMMON, ...report }),
    () => window.alert(report.title === undefined ? report.message : `${report.title}: ${report.message}`),
  );
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether anything has been reported, so that there must be a place for it. */
export function useHasReports(): boolean {
  return useSyncExternalStore(listen, () => hasReports);
}

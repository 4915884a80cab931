import { lazy, type ReactNode, Suspense } from "react";
import { loadWhenUsed, useHasReports } from "./toast.js";

loadWhenUsed();

const Notifications = lazy(async () => ({ default: (await import("@mantine/notifications")).Notifications }));

/** The place of reports, once there are any. */
export function Reports(): ReactNode {
  if (!useHasReports()) return null;
  return (
    <Suspense>
      <Notifications position="bottom-right" />
    </Suspense>
  );
}

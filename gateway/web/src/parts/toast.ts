import { notifications } from "@mantine/notifications";
import { describeFailure } from "../api/failure.js";

/** Says shortly that something was done. */
export function sayDone(message: string): void {
  notifications.show({ message, color: "teal", withBorder: true, closeButtonProps: { "aria-label": "Close" } });
}

/** Says that something failed that has no better place to say it. */
export function sayFailed(error: unknown): void {
  const { title, text } = describeFailure(error);
  sayRefused(title, text);
}

/** Says that something is not possible yet, and what to do about it. */
export function sayRefused(title: string, message: string): void {
  notifications.show({
    title,
    message,
    color: "red",
    withBorder: true,
    autoClose: 8_000,
    closeButtonProps: { "aria-label": "Close" },
  });
}

import { notifications } from "@mantine/notifications";
import { describeFailure } from "../api/failure.js";

/** Reports a success. */
export function notifySuccess(message: string): void {
  notifications.show({ message, color: "teal", withBorder: true, closeButtonProps: { "aria-label": "Close" } });
}

/** Reports a failure that cannot be shown elsewhere. */
export function notifyFailure(error: unknown): void {
  const { title, text } = describeFailure(error);
  notifyRefusal(title, text);
}

/** Reports that something is not possible yet, and what to do. */
export function notifyRefusal(title: string, message: string): void {
  notifications.show({
    title,
    message,
    color: "red",
    withBorder: true,
    autoClose: 8_000,
    closeButtonProps: { "aria-label": "Close" },
  });
}

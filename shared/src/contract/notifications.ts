import { z } from "zod";
import { Id } from "./common.js";
import { endpoint } from "./endpoint.js";

// What a user is told by mail. @see docs/mail.md "Notifications"

export const NEWS_EVENTS = [
  ...(["host_created", "host_missed", "host_returned"] as const),
  ...(["service_missed", "certificate_ending"] as const),
] as const;
export const NewsEvent = z
  .enum(NEWS_EVENTS)
  .describe(
    "`certificate_ending`: a certificate that imports have seen ends within 30 days, 7 days or a day, or has ended.",
  )
  .meta({ id: "NewsEvent" });
export type NewsEvent = z.infer<typeof NewsEvent>;

export const Notifications = z
  .object({
    events: z.array(NewsEvent).describe("What mails are sent about; empty for none."),
    network_ids: z.array(Id).nullable().describe("Only of these networks; null for all that the user may use."),
    only_unknown: z.boolean().describe("Only of hosts that nobody knows yet, see `is_known`."),
  })
  .meta({ id: "Notifications" });
export type Notifications = z.infer<typeof Notifications>;

export const NotificationsUpdate = z
  .object({
    events: z
      .array(NewsEvent)
      .max(NEWS_EVENTS.length * 2)
      .overwrite((events) => [...new Set(events)]),
    network_ids: z
      .array(Id)
      .max(1000)
      .overwrite((ids) => [...new Set(ids)])
      .nullable()
      .default(null),
    only_unknown: z.boolean().default(false),
  })
  .meta({ id: "NotificationsUpdate" });
export type NotificationsUpdate = z.infer<typeof NotificationsUpdate>;

const common = {
  upstream: "identity",
  credential: "session",
  permission: null,
  tag: "Authentication",
  path: "/api/auth/notifications",
} as const;

export const getNotifications = endpoint({
  ...common,
  operationId: "get_notifications",
  method: "get",
  summary: "Get what the caller is told by mail of the session's organization",
  description: "Nothing until it has been set.",
  response: Notifications,
  errors: [],
});

export const updateNotifications = endpoint({
  ...common,
  operationId: "update_notifications",
  method: "put",
  summary: "Update what the caller is told by mail of the session's organization",
  description:
    "Needs a verified address, unless `events` is empty. What happens within five minutes is in one mail, and a user gets at most one in ten minutes.",
  body: NotificationsUpdate,
  response: Notifications,
  errors: ["invalid_reference", "mail_not_configured", "email_unverified", "session_expired", "write_conflict"],
});

import { getNotifications, type Notifications, updateNotifications } from "@nts/shared/contract/notifications";
import { AppError } from "@nts/shared/errors";
import { mount, type Router } from "@nts/shared/http/mount";
import { respond } from "@nts/shared/http/respond";
import type { Mail } from "../mail/mail.js";
import { grantable } from "../model/user-changes.rules.js";
import type { NotificationStore } from "../storage/notifications.js";
import type { UserStore } from "../storage/users.js";
import type { TopologyDirectory } from "../topology/directory.js";

export interface NotificationRoutes {
  readonly notifications: Pick<NotificationStore, "find" | "save">;
  readonly users: Pick<UserStore, "find">;
  readonly topology: Pick<TopologyDirectory, "networksIn">;
  readonly mail: Pick<Mail, "isConfigured">;
}

const NOTHING: Notifications = { events: [], network_ids: null, only_unknown: false };

/** What the caller is told by mail. */
export function mountNotifications(router: Router, { notifications, users, topology, mail }: NotificationRoutes): void {
  mount(router, getNotifications, async ({ principal: { userId }, scope, cause }) => {
    const found = await notifications.find(userId, scope.organizationId);
    if (found === null) return respond.data(NOTHING);
    const { events, network_ids, only_unknown } = found;
    const known = network_ids === null ? null : new Set(await topology.networksIn(scope, cause));
    return respond.data({ events, network_ids: network_ids?.filter((id) => known?.has(id)) ?? null, only_unknown });
  });

  mount(router, updateNotifications, async ({ principal: { userId }, scope, body, cause }) => {
    const user = await users.find(scope.organizationId, userId);
    if (user === null) throw new AppError("session_expired");
    if (body.events.length > 0) {
      if (!mail.isConfigured) throw new AppError("mail_not_configured");
      if (user.email_verified !== true) throw new AppError("email_unverified");
    }
    if (body.network_ids !== null) grantable(body.network_ids, await topology.networksIn(scope, cause));
    await notifications.save(userId, scope.organizationId, body, new Date());
    return respond.data(body);
  });
}

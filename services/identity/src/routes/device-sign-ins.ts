import type { ClientSession } from "mongodb";
import {
  confirmDeviceSignIn,
  finishDeviceSignIn,
  refuseDeviceSignIn,
  showDeviceSignIn,
  startDeviceSignIn,
} from "@nts/shared/contract/device-sign-in";
import { AppError } from "@nts/shared/errors";
import { mount, mountAny, type Router } from "@nts/shared/http/mount";
import { respond } from "@nts/shared/http/respond";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { BeginSession } from "../flows/sign-in/begin-session.js";
import { placeOf } from "../flows/sign-in/sign-in-place.js";
import type { ThrottledCheck } from "../flows/sign-in/throttled-check.js";
import { isGuarded, type UserDocument } from "../model/user.js";
import type { RequireConfirmed } from "../rights/confirmed.js";
import { newToken } from "../secrets/tokens.js";
import { newUserCode, shownUserCode, typedUserCode } from "../secrets/user-codes.js";
import { actorFrom } from "../storage/audit-notes.js";
import { trailOf } from "../storage/audit-trail.js";
import { DEVICE_SECONDS, type DeviceSignIns, type PendingDevice, POLL_SECONDS } from "../storage/device-sign-ins.js";
import type { SessionStore } from "../storage/sessions.js";
import type { UserStore } from "../storage/users.js";

export interface DeviceSignInRoutes {
  readonly devices: DeviceSignIns;
  readonly users: Pick<UserStore, "find" | "beginSession">;
  readonly sessions: Pick<SessionStore, "find" | "vouch">;
  readonly beginSession: BeginSession;
  readonly requireConfirmed: RequireConfirmed;
  /** Counts wrong user codes. */
  readonly throttledCodeCheck: ThrottledCheck;
  readonly publicUrl: string;
}

/** Sign-in of programs by a code that a person enters in the console. */
export function mountDeviceSignIns(router: Router, routes: DeviceSignInRoutes): void {
  mountProgramSide(router, routes);
  mountPersonSide(router, routes);
}

function mountProgramSide(router: Router, routes: DeviceSignInRoutes): void {
  const { devices, users, sessions, beginSession, publicUrl } = routes;

  mountAny(router, startDeviceSignIn, async (call) => {
    const deviceCode = newToken();
    const userCode = newUserCode();
    const given = { ...placeOf(call), name: call.body.name ?? null };
    await devices.insert({ deviceCode, userCode }, given, new Date());
    return respond.data({
      ...{ device_code: deviceCode, user_code: shownUserCode(userCode) },
      verification_uri: `${publicUrl.replace(/\/+$/, "")}/device`,
      ...{ interval: POLL_SECONDS, expires_in: DEVICE_SECONDS },
    });
  });

  mountAny(router, finishDeviceSignIn, async (call) => {
    const { device_code } = call.body;
    const now = new Date();
    const found = await devices.poll(device_code, now);
    if (found === null) throw new AppError("expired_token");
    const { confirmed, interval_seconds: interval } = found;
    if (found.refused === true) {
      await devices.forget(device_code);
      throw new AppError("access_denied");
    }
    if (confirmed === undefined)
      throw new AppError(found.isEarly ? "slow_down" : "authorization_pending", { interval });
    const user = await users.find(confirmed.organization_id, confirmed.user_id);
    // A second factor that was set up meanwhile was not asked for.
    if (user === null || (isGuarded(user) && confirmed.confirmed_at === undefined)) throw new AppError("expired_token");
    const admit = async (tx: ClientSession): Promise<void> => {
      trailOf(tx).actAs(actorFrom(user));
      const isAdmitted =
        (await devices.take(device_code, user, tx)) &&
        (await sessions.vouch(confirmed.session_id, now, tx)) &&
        (await users.beginSession(user, tx));
      if (!isAdmitted) throw new AppError("expired_token");
    };
    const { provider, confirmed_at: confirmedAt } = confirmed;
    const started = await beginSession(call, user, admit, { provider, confirmedAt, byDevice: true });
    return respond.data(started.user, started.extras);
  });
}

interface CodeGiven {
  readonly principal: UserPrincipal;
  readonly body: { readonly user_code: string };
  readonly clientAddress: string;
}

function mountPersonSide(router: Router, routes: DeviceSignInRoutes): void {
  const { devices, users, sessions, requireConfirmed, throttledCodeCheck } = routes;

  mount(router, showDeviceSignIn, async (call) => {
    const { name, browser, address, created_at, expires_at } = await pendingOf(call);
    return respond.data({
      ...{ name, program: browser, address },
      ...{ created_at: created_at.toISOString(), expires_at: expires_at.toISOString() },
    });
  });

  mount(router, confirmDeviceSignIn, async (call) => {
    const { principal, body } = call;
    await requireConfirmed(principal);
    await pendingOf(call);
    const user = await callerOf(principal);
    const { credentialId, scope } = principal;
    const session = await sessions.find(scope.organizationId, user._id, credentialId);
    if (session === null) throw new AppError("session_expired");
    const { provider, confirmed_at } = session;
    const by = {
      ...{ user_id: user._id, organization_id: scope.organizationId, session_id: credentialId },
      ...{ ...(provider && { provider }), ...(confirmed_at && { confirmed_at }) },
    };
    requireUndecided(await devices.confirm(typedUserCode(body.user_code), user, by, new Date()));
    return respond.data(null);
  });

  mount(router, refuseDeviceSignIn, async (call) => {
    await pendingOf(call);
    requireUndecided(await devices.refuse(typedUserCode(call.body.user_code), new Date()));
    return respond.data(null);
  });

  /** @throws AppError `not_found` · `login_throttled` */
  async function pendingOf({ principal, body, clientAddress }: CodeGiven): Promise<PendingDevice> {
    const found: PendingDevice[] = [];
    await throttledCodeCheck(`device codes of ${principal.userId}`, clientAddress, async () => {
      const one = await devices.find(typedUserCode(body.user_code), new Date());
      if (one !== null) found.push(one);
      return one !== null;
    });
    const [pending] = found;
    if (pending === undefined) throw new AppError("not_found", { entity: "DeviceSignIn" });
    return pending;
  }

  /** @throws AppError `session_expired` */
  async function callerOf({ userId, scope }: UserPrincipal): Promise<UserDocument> {
    const user = await users.find(scope.organizationId, userId);
    if (user === null) throw new AppError("session_expired");
    return user;
  }
}

/** @throws AppError `not_found` */
function requireUndecided(is: boolean): void {
  if (!is) throw new AppError("not_found", { entity: "DeviceSignIn" });
}

import type { ClientSession, Db, WithId } from "mongodb";
import { addressBlockOf } from "@nts/shared/address-block";
import { hashCredential } from "@nts/shared/credential";
import type { SignedInBy } from "../model/linked-identity.rules.js";
import type { SignInPlace } from "../model/session.js";
import type { UserDocument } from "../model/user.js";
import { createMakeRoom } from "./pending-room.js";

// Sign-ins by a code that is entered in the console, see RFC 8628. Of both codes only hashes are stored. A confirmed one is
// exchanged for a session once, while the password and the session that confirmed it are still what they were.

export const DEVICE_SIGN_INS = "device_sign_ins";

/** Seconds to enter the code. */
export const DEVICE_SECONDS = 600;
/** Seconds between two requests of a program, how much they grow by if it does not wait, and at most. */
export const POLL_SECONDS = 5;
const LONGEST_POLL_SECONDS = 60;
/** How much earlier a request may come, by the ways of networks. */
const EARLY_MS = 1_000;

/** Per address block; a further one replaces the oldest. */
const MOST_OF_ADDRESS = 50;
const MOST_IN_ALL = 20_000;

/** The person who has confirmed it, and how their session was authenticated. */
export interface Confirmation {
  readonly user_id: string;
  readonly organization_id: string;
  readonly session_id: string;
  readonly provider?: SignedInBy;
  readonly confirmed_at?: Date;
}

interface DeviceDocument extends SignInPlace {
  /** Hash of the device code. */
  _id: string;
  /** Hash of the user code. */
  user_code: string;
  /** Of the program, by itself. */
  name: string | null;
  address_block: string;
  created_at: Date;
  expires_at: Date;
  interval_seconds: number;
  /** When the program last asked; absent before. */
  polled_at?: Date;
  refused?: true;
  /** Absent until somebody has confirmed it; `password` is the hash of the stored hash. */
  confirmed?: Confirmation & { readonly password: string };
}

export type PendingDevice = Pick<
  WithId<DeviceDocument>,
  "name" | "browser" | "address" | "created_at" | "expires_at" | "interval_seconds" | "refused" | "confirmed"
>;

export interface DeviceSignIns {
  /** @param codes as given out */
  insert(
    codes: { readonly deviceCode: string; readonly userCode: string },
    given: SignInPlace & { readonly name: string | null },
    now: Date,
  ): Promise<void>;
  /** One that nobody has decided yet; null if there is none with this code. */
  find(userCode: string, now: Date): Promise<PendingDevice | null>;
  /** @returns false if it was decided meanwhile, or has expired */
  confirm(userCode: string, user: UserDocument, by: Confirmation, now: Date): Promise<boolean>;
  /** @returns as {@link confirm} */
  refuse(userCode: string, now: Date): Promise<boolean>;
  /** The program asks how it is. @returns also whether it asks too early; null if unknown or expired */
  poll(deviceCode: string, now: Date): Promise<(PendingDevice & { readonly isEarly: boolean }) | null>;
  /** Uses it up. @returns false if it is already used, or the password has changed */
  take(deviceCode: string, user: UserDocument, tx: ClientSession): Promise<boolean>;
  /** The program knows that it was refused. */
  forget(deviceCode: string): Promise<void>;
}

export function createDeviceSignIns(db: Db): DeviceSignIns {
  const devices = db.collection<DeviceDocument>(DEVICE_SIGN_INS);
  const makeRoom = createMakeRoom(db, DEVICE_SIGN_INS, { mostOfAddress: MOST_OF_ADDRESS, mostInAll: MOST_IN_ALL });
  const undecided = (userCode: string, now: Date) => ({
    ...{ user_code: hashCredential(userCode), expires_at: { $gt: now } },
    ...{ confirmed: { $exists: false }, refused: { $exists: false } },
  });
  return {
    insert: async ({ deviceCode, userCode }, given, now) => {
      const address_block = addressBlockOf(given.address ?? "");
      await makeRoom(address_block);
      await devices.insertOne({
        ...{ _id: hashCredential(deviceCode), user_code: hashCredential(userCode), ...given, address_block },
        ...{ created_at: now, expires_at: new Date(now.getTime() + DEVICE_SECONDS * 1000) },
        interval_seconds: POLL_SECONDS,
      });
    },
    find: (userCode, now) => devices.findOne(undecided(userCode, now)),
    confirm: async (userCode, user, by, now) => {
      const confirmed = { ...by, password: hashCredential(user.password_hash) };
      return (await devices.updateOne(undecided(userCode, now), { $set: { confirmed } })).matchedCount === 1;
    },
    refuse: async (userCode, now) =>
      (await devices.updateOne(undecided(userCode, now), { $set: { refused: true } })).matchedCount === 1,
    poll: async (deviceCode, now) => {
      const earliest = { $add: ["$polled_at", { $multiply: ["$interval_seconds", 1000] }, -EARLY_MS] };
      const isEarly = { $and: [{ $ne: [{ $type: "$polled_at" }, "missing"] }, { $lt: [now, earliest] }] };
      const longer = { $min: [{ $add: ["$interval_seconds", POLL_SECONDS] }, LONGEST_POLL_SECONDS] };
      const its = { _id: hashCredential(deviceCode), expires_at: { $gt: now } };
      const asked = [
        { $set: { interval_seconds: { $cond: [isEarly, longer, "$interval_seconds"] }, is_early: isEarly } },
        { $set: { polled_at: now } },
      ];
      const found = await devices.findOneAndUpdate(its, asked, { returnDocument: "after" });
      return found && { ...found, isEarly: (found as { is_early?: boolean }).is_early === true };
    },
    take: async (deviceCode, user, tx) => {
      const confirmed = { "confirmed.user_id": user._id, "confirmed.password": hashCredential(user.password_hash) };
      const its = { _id: hashCredential(deviceCode), ...confirmed };
      return (await devices.deleteOne(its, { session: tx })).deletedCount === 1;
    },
    forget: async (deviceCode) => {
      await devices.deleteOne({ _id: hashCredential(deviceCode) });
    },
  };
}

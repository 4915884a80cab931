/** Links of every kind of mail: used, reused, sent to wrong places, and left unused. */
import type { Account, Caller } from "./api.js";
import { type Mailbox, SUBJECTS } from "./mailbox.js";

export interface LinkUse {
  readonly mailbox: Mailbox;
  /** Records a secret for the later search. @returns it */
  recordSecret(what: string, secret: string): string;
  /** Sends anonymously, and keeps failures for the later search. */
  readonly send: Caller["send"];
}

/** For an account with an unverified address. The last reset link and the invite stay usable. */
export async function useMailedLinks({ email, session, cookie }: Account, use: LinkUse): Promise<void> {
  const { mailbox, recordSecret, send } = use;
  const verification = recordSecret(
    "link that verifies",
    (await mailbox.next(email, { subject: SUBJECTS.verification })).token,
  );
  await send("post", "/api/auth/email/verify", { token: verification });
  await session.data("post", "/api/auth/email/verify", { token: verification });
  await send("post", "/api/auth/email/verify", { token: verification }, { cookie });

  const invited = "invited@mailed.example";
  const invite = { permissions: "Member", email: invited };
  const { token: shown } = await session.data<{ token: string }>("post", "/api/v1/invites", invite);
  recordSecret("invite that was mailed, as shown", shown);
  const mailed = recordSecret("mailed invite", (await mailbox.next(invited)).token);
  await send("post", "/api/auth/invite", { token: mailed });
  await send("post", "/api/auth/invite", { token: `${mailed}x` });
  await send("get", `/sign-up?invite=${mailed}`);
  await send("post", "/api/auth/register", { email: invited, password: "short", invite_token: mailed });

  const aResetLink = async (count: number): Promise<string> => {
    await send("post", "/api/auth/password/forgot", { email });
    return recordSecret("link of a reset", (await mailbox.next(email, { subject: SUBJECTS.reset, count })).token);
  };
  const used = recordSecret("used link of a reset", await aResetLink(1));
  const new_password = recordSecret("password of a mailed link", "a fresh password, 4714");
  await send("post", "/api/auth/password/reset", {
    token: used,
    new_password: recordSecret("weak password", "sh0rt-471"),
  });
  for (let time = 0; time < 2; time++) await send("post", "/api/auth/password/reset", { token: used, new_password });
  const left = await aResetLink(2);
  await send("get", `/api/auth/password/reset?token=${left}`);
  await send("get", `/api/auth/password/reset/${left}`);
  await send("get", "/api/v1/networks", undefined, { authorization: `Bearer ${left}` });
}

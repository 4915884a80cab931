/** Sign-ins and keys of the user's own account. */
import { describe, expect, it } from "@jest/globals";
import { confirmSecondFactor, createKey, type Organization } from "@nts/shared/contract";
import { aColleague, aKey, anAccount, anotherSession, callerOf } from "../support/api.js";
import type { Page } from "playwright-core";
import { aPkce, register, requestOf, sendForm } from "../support/oauth.js";
import { until } from "../support/until.js";
import { codeOf, earlierCodeOf, withSecondFactor, wrongCode } from "../support/second-factors.js";
import { button, createVisits, field, heading } from "../support/visits.js";

const { url, openWindow } = createVisits();

const statusWith = async (headers: Record<string, string>): Promise<number> =>
  (await callerOf(url(), "anybody", headers).send("get", "/api/v1/networks")).status;

describe("the sessions of a user", () => {
  it("are listed in the settings, and end one by one or all except this one", async () => {
    const account = await anAccount(url());
    const others = [await anotherSession(url(), account), await anotherSession(url(), account)];
    const statuses = () => Promise.all([account, ...others].map(({ cookie }) => statusWith({ cookie })));
    const page = await openWindow({ account });
    await page.goto("/settings");
    await page.getByText("This session").waitFor();
    await page
      .getByRole("button", { name: /^End (?!all)/ })
      .first()
      .click();
    await button(page, "End session").click();
    await page.getByText("Session ended.").waitFor();
    expect((await statuses()).toSorted()).toEqual([200, 200, 401]);
    await button(page, "End all others").click();
    await page.getByRole("dialog").getByRole("button", { name: "End all others" }).click();
    await page.getByText("Your other sessions have ended.").waitFor();
    expect(await statuses()).toEqual([200, 401, 401]);
  });
});

describe("an assistant", () => {
  it("is let in with a level and networks, or denied, and its access is ended in the settings", async () => {
    const account = await anAccount(url());
    await account.session.data("post", "/api/v1/networks", { name: "Home" });
    await account.session.data("post", "/api/v1/networks", { name: "Lab" });
    // Wherever it leads: what a browser opens there is not part of the console.
    const redirect = `${url()}/api/health`;
    const { body } = await register(url(), { client_name: "Helper", redirect_uris: [redirect] });
    const pkce = aPkce();
    const clientId = String(body["client_id"]);
    const request = { ...requestOf(clientId, pkce), redirect_uri: redirect };
    const path = `/authorize?${new URLSearchParams(request).toString()}`;
    const page = await openWindow({ account });
    await page.goto(path);
    await button(page, "Deny").click();
    await page.waitForURL(/error=access_denied/);
    await page.goto(path);
    await page.getByLabel("Role").first().click();
    await page.getByRole("option", { name: /^Member/ }).click();
    await page.getByLabel("Selected networks").click();
    await page.getByLabel("Networks of the assistant").first().click();
    await page.getByRole("option", { name: "Lab" }).click();
    await page.keyboard.press("Escape");
    await button(page, "Allow").click();
    await page.waitForURL(/code=/);
    const code = new URL(page.url()).searchParams.get("code") ?? "";
    const { body: tokens } = await sendForm(url(), "/oauth/token", {
      ...{ grant_type: "authorization_code", client_id: clientId, code, code_verifier: pkce.verifier },
    });
    const headers = { authorization: `Bearer ${String(tokens["access_token"])}` };
    const assistant = callerOf(url(), "an assistant", headers);
    expect(await assistant.data("get", "/api/v1/networks")).toMatchObject([{ name: "Lab" }]);
    await page.goto("/settings");
    await page.getByText("Member · Lab · let in").waitFor();
    await button(page, "End the access of Helper").click();
    await button(page, "End access").click();
    await page.getByText("The access of Helper has ended.").waitFor();
    expect(await statusWith(headers)).toBe(401);
  });
});

describe("an API key", () => {
  it("has two secrets after a rotation with a grace period, until the previous one is ended", async () => {
    const account = await anAccount(url());
    const { secret } = await aKey(url(), account, { name: "backup" });
    const page = await openWindow({ account });
    await page.goto("/keys");
    const act = async (action: string): Promise<void> => {
      await button(page, "Actions for backup").click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    await act("Rotate");
    await page.getByRole("dialog").getByLabel("The current secret expires").first().click();
    await page.getByRole("option", { name: "In a day" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    const next = await page.getByLabel("API key", { exact: true }).innerText();
    await button(page, "Done").click();
    await page.getByText("Two secrets").waitFor();
    const statuses = () => Promise.all([secret, next].map((one) => statusWith({ authorization: `Bearer ${one}` })));
    expect(await statuses()).toEqual([200, 200]);
    await act("End old secret");
    await button(page, "End it").click();
    await page.getByText("The old secret is no longer valid.").waitFor();
    expect(await statuses()).toEqual([401, 200]);
  });

  it("shows its usage on each of the last days", async () => {
    const account = await anAccount(url());
    const { secret } = await aKey(url(), account, { name: "backup" });
    expect(await statusWith({ authorization: `Bearer ${secret}` })).toBe(200);
    const page = await openWindow({ account });
    await page.goto("/keys");
    await button(page, "Actions for backup").click();
    await page.getByRole("menuitem", { name: "Usage" }).click();
    await page.getByRole("img", { name: /requests and 0 refusals in 30 days$/ }).waitFor();
  });

  it("of a colleague is deleted by an Owner", async () => {
    const account = await anAccount(url());
    const { secret } = await aKey(url(), await aColleague(url(), account), { name: "scanner", permissions: "Viewer" });
    const page = await openWindow({ account });
    await page.goto("/keys");
    await page.getByRole("table", { name: "Keys of colleagues" }).waitFor();
    await button(page, "Actions for scanner").click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await button(page, "Delete").click();
    await page.getByRole("table", { name: "Keys of colleagues" }).waitFor({ state: "detached" });
    expect(await statusWith({ authorization: `Bearer ${secret}` })).toBe(401);
  });
});

describe("a second factor: setting up and resetting", () => {
  it("of a colleague is reset by an Owner", async () => {
    const account = await anAccount(url());
    const colleague = await aColleague(url(), account);
    await withSecondFactor(colleague);
    const page = await openWindow({ account });
    await page.goto("/users");
    await button(page, `Actions for ${colleague.email}`).click();
    await page.getByRole("menuitem", { name: "Reset second factor" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Reset" }).click();
    await page.getByText(`Second factor of ${colleague.email} reset.`).waitFor();
    expect(await statusWith({ cookie: colleague.cookie })).toBe(401);
  });

  it("is set up in the settings, and required when signing in, where a recovery code works, too", async () => {
    const account = await anAccount(url());
    const page = await openWindow({ account });
    await page.goto("/settings");
    await button(page, "Set up").click();
    await page.getByRole("dialog").getByLabel("Your password").fill(account.password);
    await button(page, "Continue").click();
    await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
    const secret = await page.getByLabel("Secret", { exact: true }).innerText();
    await field(page, "Code").fill(wrongCode(secret));
    await button(page, "Turn on").click();
    await page.getByText("The code is wrong or has already been used.").first().waitFor();
    await field(page, "Code").fill(await earlierCodeOf(secret));
    await button(page, "Turn on").click();
    const [recovery = ""] = (await page.getByLabel("Codes", { exact: true }).innerText()).split("\n");
    await button(page, "I have saved them").click();
    await page.getByText("10 recovery codes are left.").waitFor();

    for (const code of [codeOf(secret), recovery]) {
      const guest = await openWindow();
      await guest.goto("/sign-in");
      await field(guest, "Email").fill(account.email);
      await guest.getByLabel("Password").first().fill(account.password);
      await button(guest, "Sign in").click();
      await field(guest, "Code").fill(wrongCode(secret));
      await button(guest, "Continue").click();
      await guest.getByRole("alert").waitFor();
      await field(guest, "Code").fill(code);
      await button(guest, "Continue").click();
      await button(guest, "Continue").waitFor({ state: "detached" });
      await guest.getByRole("navigation").first().waitFor();
    }
    await page.reload();
    await page.getByText("9 recovery codes are left.").waitFor();
  });
});

/** Keys are refused as ten minutes after the last code, until one is given. */
async function forgetConfirmation(page: Page): Promise<void> {
  let isConfirmed = false;
  page.on("request", (request) => {
    if (request.url().endsWith(confirmSecondFactor.path)) isConfirmed = true;
  });
  const meta = { api_version: 1, server_version: "0", request_id: "r" };
  const refused = { success: false, error: "Give a code.", code: "confirmation_required", params: {}, meta };
  await page.route(`**${createKey.path}`, (route) =>
    route.request().method() === "POST" && !isConfirmed
      ? route.fulfill({ status: 403, json: refused })
      : route.continue(),
  );
}

describe("a second factor: where it is required", () => {
  it("is required before an Owner key is created, and before it is disabled", async () => {
    const account = await anAccount(url());
    const { secret } = await withSecondFactor(account);
    const page = await openWindow({ account });
    await forgetConfirmation(page);
    await page.goto("/keys");
    await button(page, "New API key").first().click();
    await field(page, "Name").fill("everything");
    await page.getByRole("dialog").getByLabel("Role").first().click();
    await page.getByRole("option", { name: "Owner" }).click();
    await button(page, "Create").click();
    const confirmDialog = page.getByRole("dialog", { name: "Confirm your identity" });
    await confirmDialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Not confirmed").waitFor();
    await button(page, "Create").click();
    await field(confirmDialog, "Code").fill(codeOf(secret));
    await confirmDialog.getByRole("button", { name: "Confirm" }).click();
    await page.getByLabel("API key", { exact: true }).waitFor();
    await button(page, "Done").click();
    await page.goto("/settings");
    await button(page, "Turn off").click();
    await page.getByRole("dialog").getByRole("button", { name: "Turn off" }).click();
    await page.getByText("The second factor is off.").waitFor();
  });

  it("required by an Owner is set up by others at their next sign-in", async () => {
    const owner = await anAccount(url());
    const member = await aColleague(url(), owner);
    await withSecondFactor(owner);
    const page = await openWindow({ account: owner });
    const other = await openWindow({ account: member });
    await other.goto("/hosts");
    await heading(other, "Hosts").waitFor();
    await page.goto("/settings");
    await page.getByLabel("Require a second factor").click();
    await button(page, "Save").first().click();
    const isRequired = async (): Promise<boolean> =>
      (await owner.session.data<Organization>("get", "/api/v1/organizations")).require_second_factor;
    await until(isRequired, 100, 30_000);
    await other.goto("/networks");
    await field(other, "Email").fill(member.email);
    await other.getByLabel("Password").first().fill(member.password);
    await button(other, "Sign in").click();
    const secret = await other.getByLabel("Secret", { exact: true }).innerText();
    await field(other, "Code").fill(codeOf(secret));
    await button(other, "Continue").click();
    await other.getByLabel("Codes", { exact: true }).waitFor();
    await button(other, "I have saved them").click();
    await heading(other, "Networks").waitFor();
  });
});

describe("several organizations", () => {
  it("are joined by an invite link, and switched in the account menu", async () => {
    const host = await anAccount(url());
    const account = await anAccount(url());
    await host.session.data("put", `/api/v1/organizations/${host.organizationId}`, {
      name: "The other one",
      api_access_enabled: true,
    });
    const { token } = await host.session.data<{ token: string }>("post", "/api/v1/invites", { permissions: "Viewer" });
    const page = await openWindow({ account });
    await page.goto(`/sign-up#invite=${token}`);
    await heading(page, "Join another organization").waitFor();
    await page.getByText("Your account joins The other one as Viewer").waitFor();
    await button(page, "Join").click();
    await page.getByText("You have joined The other one.").waitFor();
    const menu = page.getByRole("button", { name: `${account.email} Viewer` });
    await menu.click();
    expect(await statusWith({ cookie: account.cookie })).toBe(401);
    await page.getByRole("menuitem", { name: "My Organization Owner" }).click();
    await page.getByRole("button", { name: `${account.email} Owner` }).waitFor();
    await page.goto(`/sign-up#invite=${token}`);
    await page.getByText("This invitation is invalid or has expired.").waitFor();
    expect(await button(page, "Join").count()).toBe(0);
  });

  it("are explained to a registered user who registers again with an invite", async () => {
    const host = await anAccount(url());
    const account = await anAccount(url());
    const { token } = await host.session.data<{ token: string }>("post", "/api/v1/invites", { permissions: "Viewer" });
    const page = await openWindow({});
    await page.goto(`/sign-up#invite=${token}`);
    await field(page, "Email").fill(account.email);
    await page.locator("input[type=password]").fill(account.password);
    await button(page, "Join").click();
    await page.getByText("Sign in to join with it.").waitFor();
    await page.getByRole("link", { name: "Sign in" }).click();
    await heading(page, "Sign in").waitFor();
    await field(page, "Email").fill(account.email);
    await page.locator("input[type=password]").fill(account.password);
    await button(page, "Sign in").click();
    await heading(page, "Join another organization").waitFor();
  });
});

describe("the danger zone", () => {
  const openDangerZone = async (name: string, account: Parameters<typeof openWindow>[0]) => {
    const page = await openWindow(account);
    await page.goto("/settings");
    await button(page, `${name}…`).click();
    return page;
  };

  it("lets a user leave and continue in an organization of their own, but not the last Owner", async () => {
    const owner = await anAccount(url());
    const account = await aColleague(url(), owner);
    const page = await openDangerZone("Leave", { account });
    const dialog = page.getByRole("dialog");
    const password = dialog.locator("input[type=password]");
    await password.fill("not this one");
    await button(dialog, "Leave").click();
    await dialog.getByText("Incorrect password.").waitFor();
    await password.fill(account.password);
    await button(dialog, "Leave").click();
    await page.getByText("You have left the organization.").waitFor();
    expect(await statusWith({ cookie: account.cookie })).toBe(401);
    await button(page, "Delete account…").click();
    await password.fill(account.password);
    await button(dialog, "Delete account").click();
    await dialog.getByText("Make somebody else an Owner first").waitFor();
  });

  it("deletes an organization after its name is typed, and offers the archive before", async () => {
    const account = await anAccount(url());
    const { secret } = await aKey(url(), account);
    const page = await openDangerZone("Delete organization", { account });
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("link", { name: "download the archive" }).getAttribute("href")).toBe(
      "/api/v1/organizations/archive",
    );
    const password = dialog.locator("input[type=password]");
    await password.fill(account.password);
    expect(await button(dialog, "Delete organization").isDisabled()).toBe(true);
    await dialog.getByLabel(/^Type the name/).fill("My Organization");
    await button(dialog, "Delete organization").click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await statusWith({ authorization: `Bearer ${secret}` })).toBe(401);
  });
});

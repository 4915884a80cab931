/** Links in mails: sent through a real SMTP server, opened in a real browser. */
import { describe, expect, it } from "@jest/globals";
import { anAccount } from "../support/api.js";
import { SUBJECTS } from "../support/mailbox.js";
import { button, createVisits, field, heading } from "../support/visits.js";

const { url, mailFor, openWindow } = createVisits();

describe("mail", () => {
  it("contains a link that verifies the address, also before signing in; verified users invite others, who join by their link", async () => {
    const account = await anAccount(url());
    const { link } = await mailFor(account.email);
    const page = await openWindow();
    await page.goto(link);
    await field(page, "Email").fill(account.email);
    await page.getByLabel("Password").first().fill(account.password);
    await button(page, "Sign in").click();
    await button(page, "Verify address").click();
    await page.getByText(`The address ${account.email} is verified.`).waitFor();
    await page.getByRole("link", { name: "Continue" }).click();
    await page.goto(`${url()}/users`);
    await page.getByText("Verify your email address").waitFor({ state: "detached" });

    const invited = `invited-${account.userId}@example.com`;
    await button(page, "Invite user").click();
    await field(page, "Send it by mail to").fill(invited);
    await button(page, "Create invite").click();
    await page.getByText(`The invite is on its way to ${invited}.`).waitFor();
    await button(page, "Done").click();
    await page.getByRole("table", { name: "Pending invites" }).getByText(invited).waitFor();
    const guest = await openWindow();
    await guest.goto((await mailFor(invited)).link);
    await heading(guest, "Join your organization").waitFor();
    await guest.getByText("You are invited to My Organization as Member.").waitFor();
    expect(await field(guest, "Email").inputValue()).toBe(invited);
    await guest.getByLabel("Password").first().fill("nine lanterns on a raft");
    await button(guest, "Join").click();
    await guest.getByRole("navigation").first().waitFor();
    await guest.goto("/settings");
    await guest.getByText("Verify your email address").waitFor({ state: "detached" });
  });

  it("shows a reminder for an unverified address, and is sent again", async () => {
    const account = await anAccount(url());
    await mailFor(account.email);
    const page = await openWindow({ account });
    await page.goto("/hosts");
    await page.getByRole("note").getByText("Verify your email address").waitFor();
    await button(page, "Send mail again").click();
    await page.getByText(`A mail is on its way to ${account.email}.`).waitFor();
    await mailFor(account.email, { count: 2 });
  });
});

describe("mail for a forgotten password", () => {
  it("contains a reset link, which ends the sessions and works once", async () => {
    const account = await anAccount(url());
    const page = await openWindow({ account });
    await page.goto("/hosts");
    await heading(page, "Hosts").waitFor();
    const guest = await openWindow();
    await guest.goto("/sign-in");
    await field(guest, "Email").fill(account.email);
    await guest.getByRole("link", { name: "Forgot your password?" }).click();
    await heading(guest, "Forgot your password?").waitFor();
    expect(await field(guest, "Email").inputValue()).toBe(account.email);
    await button(guest, "Send link").click();
    await guest.getByText("If there is an account with the address").waitFor();
    const { link } = await mailFor(account.email, { subject: SUBJECTS.reset });
    await guest.goto(link);
    await guest.getByLabel("New password").first().fill("nine lanterns on a raft");
    await button(guest, "Change password").click();
    await guest.getByText("Your password is changed, and all your sessions have ended.").waitFor();
    await guest.getByRole("link", { name: "Sign in" }).click();
    await heading(guest, "Sign in").waitFor();
    await field(guest, "Email").fill(account.email);
    await guest.getByLabel("Password").first().fill("nine lanterns on a raft");
    await button(guest, "Sign in").click();
    await guest.getByRole("navigation").first().waitFor();
    await page.goto("/networks");
    await heading(page, "Sign in").waitFor();
    await page.goto(link);
    await page.getByLabel("New password").first().fill("yet another good phrase");
    await button(page, "Change password").click();
    await page.getByText("The link has expired or has already been used").first().waitFor();
  });
});

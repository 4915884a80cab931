/** Signing in by an identity provider, through its own pages. */
import { describe, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { anAccount } from "../support/api.js";
import { button, createVisits, field, heading } from "../support/visits.js";

const { url, provider, openWindow } = createVisits();

async function signInAtProvider(page: Page, account: string): Promise<void> {
  await heading(page, "Provider").waitFor();
  await field(page, "Account").fill(account);
  await button(page, "Continue").click();
}

describe("an identity provider", () => {
  it("is linked in the settings, signs in from the sign-in page back to the requested page, and signs out", async () => {
    const { issuer: elsewhere, name } = provider();
    const account = await anAccount(url());
    const page = await openWindow({ account, elsewhere });
    await page.goto("/settings");
    await button(page, `Link ${name}`).click();
    await page.getByRole("dialog").getByLabel("Your password").fill(account.password);
    await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
    await signInAtProvider(page, account.userId);
    await button(page, `Unlink ${name}`).waitFor();

    const guest = await openWindow({ elsewhere });
    await guest.goto("/hosts");
    await button(guest, `Continue with ${name}`).click();
    await signInAtProvider(guest, account.userId);
    await heading(guest, "Hosts").waitFor();
    await guest.goto("/settings");
    await guest.getByText(`signed in by ${name}`).first().waitFor();

    await guest.goto(`${elsewhere}/session/end`);
    await button(guest, "Sign out").click();
    await heading(guest, "Signed out").waitFor();
    await guest.goto(`${url()}/hosts`);
    await heading(guest, "Sign in").waitFor();
    await page.reload();
    await button(page, `Unlink ${name}`).click();
    await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
    await button(page, `Link ${name}`).waitFor();
  });

  it("reports an account that is not linked", async () => {
    const { issuer: elsewhere, name } = provider();
    const guest = await openWindow({ elsewhere });
    await guest.goto("/sign-in");
    await button(guest, `Continue with ${name}`).click();
    await signInAtProvider(guest, "nobody-here");
    await guest.getByText("No user is linked to this account at the provider.").waitFor();
  });

  it("admits an invited user without a password, who sets up a second factor without one", async () => {
    const { issuer: elsewhere, name } = provider();
    const owner = await anAccount(url());
    const { token } = await owner.session.data<{ token: string }>("post", "/api/v1/invites", { permissions: "Viewer" });
    const guest = await openWindow({ elsewhere });
    await guest.goto(`/sign-up#invite=${token}`);
    await button(guest, `Continue with ${name}`).click();
    await signInAtProvider(guest, `invited-${owner.userId}`);
    await guest.getByRole("navigation").first().waitFor();
    await guest.goto("/settings");
    await button(guest, "Set up").click();
    await button(guest, "Continue").click();
    await guest.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
  });
});

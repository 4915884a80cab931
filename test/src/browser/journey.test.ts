/** The main path of a new user, from the first visit to a picture of the network. */
import { describe, it } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { SCAN } from "../support/scan.js";
import { button, createVisits, field, heading } from "../support/visits.js";

const { openWindow } = createVisits();

describe("a new user", () => {
  it("signs up, imports a scan, sees it on the map, edits and undoes, all by keyboard", async () => {
    const page = await openWindow();
    const { press, reach, activate, enter } = keyboardOf(page);
    await page.goto("/");
    await activate(page.getByRole("link", { name: "Create one" }));
    // The page before has a field of the same name.
    await heading(page, "Create an account").waitFor();
    await enter(field(page, "Email"), "ada@journey.example.com");
    await enter(field(page, "Password"), "short");
    await press("Enter");
    await page.getByText("Enter at least 10 characters.").waitFor();
    await enter(field(page, "Password"), "a long password");
    // Enter does nothing while the first attempt is still ending.
    await button(page, "Create account").and(page.locator(":enabled")).waitFor();
    await press("Enter");

    await enter(field(page, "Network name"), "Home");
    await press("Enter");
    const chooser = page.waitForEvent("filechooser");
    await activate(page.getByLabel("Select a file"), "Space");
    await (await chooser).setFiles({ name: "scan.xml", mimeType: "text/xml", buffer: Buffer.from(SCAN) });
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText("192.168.7.20").waitFor();
    await activate(button(page, "Import"));
    await page.getByText("The import is done").waitFor();
    await activate(page.getByRole("link", { name: "View topology" }));
    await heading(page, "Topology").waitFor();
    const contents = page.getByRole("listbox", { name: "Topology contents" });
    for (const shown of ["192.168.7.0/24", "192.168.7.1", "192.168.7.20"])
      await contents.getByText(shown, { exact: true }).first().waitFor();

    await reach(page.getByRole("application"));
    await press("ArrowRight");
    await page.getByRole("region", { name: /^About (?:router|nas)/ }).waitFor();
    await press("Enter");
    await page.waitForURL("**/hosts/*");
    // The map, whose panel has the same button, is shown until the page has loaded.
    await page.getByRole("link", { name: "All hosts" }).waitFor();
    await activate(button(page, "Edit"));
    const name = field(page.getByRole("dialog"), "Name");
    await enter(name, "gateway");
    await press("Enter");
    await heading(page, "gateway").waitFor();
    await activate(page.getByRole("article").first().getByRole("button", { name: "Undo" }));
    await activate(page.getByRole("dialog").getByRole("button", { name: "Undo" }));
    await heading(page, "gateway").waitFor({ state: "detached" });
  });
});

/** What a person without a mouse does. */
function keyboardOf(page: Page) {
  const press = (key: string): Promise<void> => page.keyboard.press(key);
  /** Moves the focus there, forwards. */
  const reach = async (target: Locator): Promise<void> => {
    await target.waitFor({ state: "attached" });
    const reached = target.and(page.locator(":focus"));
    for (let presses = 0; (await reached.count()) === 0; presses++) {
      if (presses === MOST_TABS) throw new Error(`the keyboard does not reach ${String(target)}`);
      await press("Tab");
    }
  };
  return {
    press,
    reach,
    activate: async (target: Locator, key = "Enter"): Promise<void> => {
      await reach(target);
      await press(key);
    },
    /** Replaces the text of a field. */
    enter: async (target: Locator, text: string): Promise<void> => {
      await reach(target);
      await press("ControlOrMeta+A");
      await page.keyboard.type(text);
    },
  };
}

/** More than there are places on any page. */
const MOST_TABS = 100;

import type { ReactNode } from "react";
import { Page } from "../parts/page.js";
import { ArchivePart } from "./archive-part.js";
import { AssistantsPart } from "./assistants-part.js";
import { LeavingPart } from "./leaving-part.js";
import { NotificationsPart } from "./notifications-part.js";
import { OrganizationPart } from "./organization-part.js";
import { PasswordPart } from "./password-part.js";
import { ProvidersPart } from "./providers-part.js";
import { RightsPart } from "./rights-part.js";
import { SecondFactorPart } from "../second-factor/second-factor-part.js";
import { SessionsPart } from "./sessions-part.js";
import { useHasLevel } from "../session/session.js";
import { WebhooksPart } from "./webhooks-part.js";
import classes from "./settings.module.css";

export default function SettingsPage(): ReactNode {
  const may = useHasLevel("Admin");
  const isOwner = useHasLevel("Owner");
  return (
    <Page title="Settings">
      <div className={classes.parts}>
        <div className={classes.column}>
          <OrganizationPart />
          {may && <WebhooksPart />}
          {isOwner && <ArchivePart />}
        </div>
        <div className={classes.column}>
          <RightsPart />
          <PasswordPart />
          <ProvidersPart />
          <SecondFactorPart />
        </div>
        <div className={classes.column}>
          <NotificationsPart />
          <SessionsPart />
          <AssistantsPart />
          <LeavingPart />
        </div>
      </div>
    </Page>
  );
}

import { actInOrganization, getCurrentUser, type Membership } from "@nts/shared/contract";
import { ApiError } from "@nts/shared/client";
import { useNavigate } from "react-router";
import { api } from "../api/client.js";
import { confirmed } from "../api/confirmed.js";
import { useOne } from "../api/queries.js";
import { PATHS } from "../paths.js";
import { notifyFailure, notifyRefusal } from "../parts/toast.js";
import { useSessionReset } from "./session.js";

/** The organizations of the user; empty until loaded. */
export function useOrganizations(): readonly Membership[] {
  return useOne(getCurrentUser, {}).data?.data.organizations ?? [];
}

/** Returns a function that switches the organization and opens a page. @param opens by default the start page; null to stay */
export function useActIn(opens: string | null = PATHS.home): (organizationId: string) => Promise<void> {
  const reset = useSessionReset();
  const navigate = useNavigate();
  const canGiveCodes = useOne(getCurrentUser, {}).data?.data.second_factor === true;
  return async (organization_id) => {
    const act = () => api.call(actInOrganization, { body: { organization_id } });
    try {
      await (canGiveCodes ? confirmed(act) : act());
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "confirmation_required" || canGiveCodes) notifyFailure(error);
      else {
        notifyRefusal(
          "Second factor required",
          "This organization requires one. Set yours up here, then switch to it.",
        );
        await navigate(PATHS.settings);
      }
      return;
    }
    if (opens !== null) await navigate(opens);
    await reset();
  };
}

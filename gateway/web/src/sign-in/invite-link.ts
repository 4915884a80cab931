import { ApiError } from "@nts/shared/client";
import { type InvitePreview, previewInvite } from "@nts/shared/contract";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "react-router";
import { api } from "../api/client.js";

/** Error for an invite that is used, revoked, expired or unknown. */
export const VOID_INVITE = "This invitation is invalid or has expired. Ask for a new one.";

/** The token of the opened invite link, `#invite=…`; null without one. */
export function useInvite(): string | null {
  return new URLSearchParams(useLocation().hash.slice(1)).get("invite");
}

/** The invite's preview; undefined while loading, null if it is void. */
export function useInvitePreview(token: string | null): InvitePreview | null | undefined {
  const { data, error } = useQuery({
    queryKey: [previewInvite.operationId, token],
    queryFn: ({ signal }) => api.call(previewInvite, { body: { token: token ?? "" }, signal }),
    enabled: token !== null,
    staleTime: Infinity,
  });
  return error instanceof ApiError && error.code === "invalid_reference" ? null : data;
}

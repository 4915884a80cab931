import { ApiError } from "@nts/shared/client";
import { type InvitePreview, previewInvite } from "@nts/shared/contract";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "react-router";
import { api } from "../api/client.js";

/** Said of an invite that is used, revoked, expired, or never was. */
export const VOID_INVITE = "This invitation is invalid or has expired. Ask for a new one.";

/** The token of the invite link that was opened: `#invite=…`, or `?invite=…` as earlier versions made it; null without one. */
export function useInvite(): string | null {
  const { hash, search } = useLocation();
  return new URLSearchParams(hash.slice(1)).get("invite") ?? new URLSearchParams(search).get("invite");
}

/** What an invite leads to; undefined until it is known, null when it is void. */
export function useInvitePreview(token: string | null): InvitePreview | null | undefined {
  const { data, error } = useQuery({
    queryKey: [previewInvite.operationId, token],
    queryFn: ({ signal }) => api.call(previewInvite, { body: { token: token ?? "" }, signal }),
    enabled: token !== null,
    staleTime: Infinity,
  });
  return error instanceof ApiError && error.code === "invalid_reference" ? null : data;
}

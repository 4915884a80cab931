import { logout } from "@nts/shared/contract";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { api } from "../api/client.js";
import { PATHS } from "../paths.js";
import { useSessionReset } from "./session.js";

export function useSignOut(): () => void {
  const reset = useSessionReset();
  const navigate = useNavigate();
  const { mutate } = useMutation({
    mutationFn: () => api.call(logout, {}),
    onSettled: () => {
      // the next user starts at the home page
      void navigate(PATHS.home);
      void reset();
    },
  });
  return () => mutate();
}

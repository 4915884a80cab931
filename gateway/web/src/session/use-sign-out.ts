import { logout } from "@nts/shared/contract";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { api } from "../api/client.js";
import { PATHS } from "../paths.js";
import { useSessionReset } from "./session.js";

/** The function that ends the session. */
export function useSignOut(): () => void {
  const reset = useSessionReset();
  const navigate = useNavigate();
  const { mutate } = useMutation({
    mutationFn: () => api.call(logout, {}),
    onSettled: () => {
      // whoever signs in next begins at the start
      void navigate(PATHS.home);
      void reset();
    },
  });
  return () => mutate();
}

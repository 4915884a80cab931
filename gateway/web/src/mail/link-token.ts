import { useEffect, useState } from "react";
import { useLocation, useNavigate } from "react-router";

/** The token after `#` in a mailed link, which is removed from the URL; empty if there is none. */
export function useLinkToken(): string {
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  const [token, setToken] = useState("");
  const given = new URLSearchParams(hash.replace(/^#/, "")).get("token");
  if (given !== null && given !== token) setToken(given);
  useEffect(() => {
    if (given !== null) void navigate(pathname, { replace: true });
  }, [given, navigate, pathname]);
  return given ?? token;
}

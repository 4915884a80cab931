import { useEffect, useState } from "react";
import { useLocation, useNavigate } from "react-router";

/** The secret of a mailed link, from behind the `#`; empty where there is none. It is taken out of the address. */
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

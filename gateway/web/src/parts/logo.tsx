import type { ReactNode } from "react";
import classes from "./logo.module.css";

export function Logo(): ReactNode {
  return (
    <span className={classes.logo}>
      <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden>
        <rect width="32" height="32" rx="8" fill="#0b7285" />
        <path d="M16 10v5M16 15 9 22M16 15l7 7" stroke="#fff" strokeWidth="2" fill="none" />
        <circle cx="16" cy="9" r="3.5" fill="#fff" />
        <circle cx="9" cy="23" r="3.5" fill="#fff" />
        <circle cx="23" cy="23" r="3.5" fill="#fff" />
      </svg>
      Network topology
    </span>
  );
}

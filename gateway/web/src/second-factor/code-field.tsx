import { TextInput } from "@mantine/core";
import type { GetInputPropsReturnType } from "@mantine/form";
import { type ReactNode, useEffect, useRef } from "react";

interface CodeFieldProps {
  /** Recovery codes are accepted, too. */
  readonly takesRecovery?: boolean;
  readonly input: GetInputPropsReturnType;
}

/** Input for a code of the authenticator app. */
export function CodeField({ takesRecovery = true, input }: CodeFieldProps): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  // focus even if it replaces another form outside of a window
  useEffect(() => field.current?.focus(), []);
  return (
    <TextInput
      ref={field}
      label="Code"
      description={takesRecovery ? "Six digits from your app, or a recovery code" : "Six digits from your app"}
      autoComplete="one-time-code"
      {...(!takesRecovery && { inputMode: "numeric" })}
      required
      data-autofocus
      {...input}
    />
  );
}

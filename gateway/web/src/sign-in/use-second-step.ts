import { type GetInputPropsReturnType, useForm, type UseFormReturnType } from "@mantine/form";
import { ApiError } from "@nts/shared/client";
import { useMutation, type UseMutationResult } from "@tanstack/react-query";

export interface SecondStepProps<T> {
  /** The challenge of the login. */
  readonly challenge: string;
  readonly onDone: (data: T) => void;
  /** Restarts the sign-in with an error. */
  readonly onBack: (reason: Error | null) => void;
}

interface SecondStep<T> {
  readonly finish: UseMutationResult<T, Error, string>;
  readonly field: GetInputPropsReturnType;
  readonly onSubmit: ReturnType<UseFormReturnType<{ code: string }>["onSubmit"]>;
}

/** The form for the code of the second step; an expired challenge restarts the sign-in. */
export function useSecondStep<T>(
  send: (given: { readonly challenge: string; readonly code: string }) => Promise<T>,
  { challenge, onDone, onBack }: SecondStepProps<T>,
): SecondStep<T> {
  const form = useForm({ initialValues: { code: "" } });
  const finish = useMutation({
    mutationFn: (code: string) => send({ challenge, code }),
    onSuccess: onDone,
    onError: (error) => {
      if (error instanceof ApiError && error.code === "challenge_expired") onBack(error);
      form.reset();
    },
  });
  return { finish, field: form.getInputProps("code"), onSubmit: form.onSubmit(({ code }) => finish.mutate(code)) };
}

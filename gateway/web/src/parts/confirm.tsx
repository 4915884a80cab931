import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import type { Plan } from "@nts/shared/contract";
import { describeFailure } from "../api/failure.js";
import { alongText } from "../forms/plan-text.js";
import { PlanView } from "../forms/plan-view.js";
import { Waiting } from "./waiting.js";

export interface Question {
  readonly title: string;
  /** What it does, and what goes with it. */
  readonly text: ReactNode;
  /** The verb on the button. */
  readonly verb: string;
  /** Done when the answer is yes; the question stays until it has succeeded. */
  readonly run: () => Promise<unknown>;
  /** What it would do, for what goes with it to be shown. */
  readonly plan?: () => Promise<Plan>;
  /** All of the plan is shown, and the answer can be yes once it is there. */
  readonly isReviewed?: boolean;
  /** It takes something away. */
  readonly isDestructive?: boolean;
}

type Ask = (question: Question) => void;

const Context = createContext<Ask>(() => undefined);

/** Asks before something that cannot be undone is done. */
export function useConfirm(): Ask {
  return useContext(Context);
}

/** Holds the window in which {@link useConfirm} asks. */
export function ConfirmProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [question, setQuestion] = useState<Question | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [plan, setPlan] = useState<Plan | null>(null);
  const last = useRef<Question | null>(null);
  const ask = useCallback((next: Question) => {
    last.current = next;
    setError(null);
    setPlan(null);
    setQuestion(next);
    const isAsked = (): boolean => last.current === next;
    next.plan?.().then(
      (found) => isAsked() && setPlan(found),
      (failure: unknown) => isAsked() && setError(failure),
    );
  }, []);
  const run = async ({ run: act }: Question): Promise<void> => {
    setRunning(true);
    setError(null);
    try {
      await act();
      setQuestion(null);
    } catch (failure) {
      setError(failure);
    } finally {
      setRunning(false);
    }
  };
  const isReviewed = question?.isReviewed === true;
  const along = plan === null || isReviewed ? null : alongText(plan);
  const close = (): void => setQuestion(null);
  return (
    <Context value={ask}>
      {children}
      <Modal
        opened={question !== null}
        onClose={close}
        title={question?.title}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {question !== null && (
          <Stack>
            <Text size="sm">{question.text}</Text>
            {isReviewed && plan === null && error === null && <Waiting />}
            {isReviewed && plan !== null && <PlanView plan={plan} lead="This would change:" />}
            {along !== null && (
              <Text size="sm" fw={600} role="status">
                {along}
              </Text>
            )}
            {error !== null && (
              <Alert color="red" role="alert" title={describeFailure(error).title}>
                {describeFailure(error).text}
              </Alert>
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={close} disabled={isRunning} data-autofocus>
                Cancel
              </Button>
              <Button
                color={question.isDestructive === false ? undefined : "red"}
                loading={isRunning}
                disabled={isReviewed && plan === null}
                onClick={() => void run(question)}
              >
                {question.verb}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </Context>
  );
}

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
            <Consequences isReviewed={question.isReviewed === true} plan={plan} error={error} />
            <Answers
              question={question}
              isRunning={isRunning}
              isReady={question.isReviewed !== true || plan !== null}
              onNo={close}
              onYes={() => void run(question)}
            />
          </Stack>
        )}
      </Modal>
    </Context>
  );
}

interface AnswersProps {
  readonly question: Question;
  readonly isRunning: boolean;
  /** What has to be reviewed first is there. */
  readonly isReady: boolean;
  readonly onNo: () => void;
  readonly onYes: () => void;
}

function Answers({ question, isRunning, isReady, onNo, onYes }: AnswersProps): ReactNode {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onNo} disabled={isRunning} data-autofocus>
        Cancel
      </Button>
      <Button
        color={question.isDestructive === false ? undefined : "red"}
        loading={isRunning}
        disabled={!isReady}
        onClick={onYes}
      >
        {question.verb}
      </Button>
    </Group>
  );
}

interface ConsequencesProps {
  readonly isReviewed: boolean;
  readonly plan: Plan | null;
  readonly error: unknown;
}

/** What goes with it, or why it failed. */
function Consequences({ isReviewed, plan, error }: ConsequencesProps): ReactNode {
  const along = plan === null || isReviewed ? null : alongText(plan);
  return (
    <>
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
    </>
  );
}

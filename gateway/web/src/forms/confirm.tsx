import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import type { Plan } from "@nts/shared/contract";
import { describeFailure } from "../api/failure.js";
import { alongText } from "./plan-text.js";
import { PlanView } from "./plan-view.js";
import { Waiting } from "../parts/waiting.js";

export interface Question {
  readonly title: string;
  /** Consequences of the action. */
  readonly text: ReactNode;
  /** The verb on the button. */
  readonly verb: string;
  /** The action; the window stays open until it has succeeded, and shows how far it is. */
  readonly run: (tell: (progress: string) => void) => Promise<unknown>;
  /** A preview of the action, or a sentence of one that is too large to be shown. */
  readonly plan?: () => Promise<Plan | string>;
  /** Shows the whole plan, and requires it before confirmation. */
  readonly isReviewed?: boolean;
  /** The action deletes something. */
  readonly isDestructive?: boolean;
}

type Ask = (question: Question) => void;

const Context = createContext<Ask>(() => undefined);

/** Asks for confirmation of an irreversible action. */
export function useConfirm(): Ask {
  return useContext(Context);
}

/** Renders the window of {@link useConfirm}. */
export function ConfirmProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [question, setQuestion] = useState<Question | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [progress, setProgress] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [plan, setPlan] = useState<Plan | string | null>(null);
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
      await act(setProgress);
      setQuestion(null);
    } catch (failure) {
      setError(failure);
    } finally {
      setRunning(false);
      setProgress(null);
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
            <Text size="sm" component="div">
              {question.text}
            </Text>
            <Consequences isReviewed={question.isReviewed === true} plan={plan} error={error} />
            {progress !== null && (
              <Text size="sm" role="status" className="numbers">
                {progress}
              </Text>
            )}
            <Choices
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

interface ChoicesProps {
  readonly question: Question;
  readonly isRunning: boolean;
  /** A required preview has loaded. */
  readonly isReady: boolean;
  readonly onNo: () => void;
  readonly onYes: () => void;
}

function Choices({ question, isRunning, isReady, onNo, onYes }: ChoicesProps): ReactNode {
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
  readonly plan: Plan | string | null;
  readonly error: unknown;
}

/** The consequences, or why it failed. */
function Consequences({ isReviewed, plan, error }: ConsequencesProps): ReactNode {
  const along = typeof plan === "string" ? plan : plan === null || isReviewed ? null : alongText(plan);
  return (
    <>
      {isReviewed && plan === null && error === null && <Waiting />}
      {isReviewed && plan !== null && typeof plan !== "string" && <PlanView plan={plan} lead="This would change:" />}
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

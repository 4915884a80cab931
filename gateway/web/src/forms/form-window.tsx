import { Alert, Button, Group, List, Modal, Stack } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { type ReactNode, useState } from "react";
import type { Plan } from "@nts/shared/contract";
import { type Send, usePlan, useSend } from "../api/queries.js";
import { describeFailure, faultsByPath, isChanged } from "../api/failure.js";
import { notifySuccess } from "../parts/toast.js";
import { useSessionQuery } from "../session/session.js";
import classes from "./form-window.module.css";
import { PlanView } from "./plan-view.js";
import { problemsOf } from "./problems.js";
import { useReturnFocus } from "./use-return-focus.js";

type Faults = Readonly<Record<string, string>>;

interface FormWindowProps<Values extends object> {
  readonly title: string;
  readonly form: UseFormReturnType<Values>;
  /** Sends the write, using `send` to support previews. Errors are shown next to their fields. */
  readonly submit: (values: Values, send: Send) => Promise<unknown>;
  /** The write can be previewed; `first` if it has to be. */
  readonly reviews?: boolean | "first";
  readonly onClose: () => void;
  /** True to keep the window open after success, for a following step. */
  readonly stays?: boolean;
  /** Reads the entity again after somebody else has changed it. */
  readonly onReload?: (() => void) | undefined;
  readonly verb?: string;
  /** Success message; absent for none. */
  readonly done?: string;
  readonly size?: string;
  /** The field of the form for a path of the API, if they differ. */
  readonly fieldOf?: (path: string) => string;
  readonly children: ReactNode;
}

/** A window with a form, which closes when the write has succeeded. */
export function FormWindow<Values extends object>(props: FormWindowProps<Values>): ReactNode {
  const { title, form, onClose, onReload, verb = "Save", size = "md", reviews = false, children } = props;
  useReturnFocus();
  const hasEnded = useSessionQuery().data === null;
  const { error, faults, isRunning, shown, run, forget } = useSubmission(props);
  const isReview = reviews === "first" && shown === null;
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      // clicking outside or pressing Escape must not discard input
      closeOnClickOutside={!form.isDirty()}
      closeOnEscape={!hasEnded}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form noValidate onSubmit={form.onSubmit((values) => void run(values, isReview), forget)}>
        <Stack>
          {children}
          <div className={classes.foot}>
            {error !== null && (
              <Refusal error={error} problems={problemsOf(faults, form.getValues())} onReload={onReload} />
            )}
            {shown !== null && <PlanView plan={shown} {...(reviews === "first" && { lead: "This would change:" })} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              {reviews === true && (
                <Button
                  variant="default"
                  disabled={isRunning}
                  onClick={() => {
                    form.onSubmit((values) => void run(values, true), forget)();
                  }}
                >
                  Review
                </Button>
              )}
              <Button type="submit" loading={isRunning}>
                {isReview ? "Review" : verb}
              </Button>
            </Group>
          </div>
        </Stack>
      </form>
    </Modal>
  );
}

interface Submission<Values> {
  /** Null if the last submission has not failed. */
  readonly error: unknown;
  readonly faults: Faults;
  readonly isRunning: boolean;
  /** The preview, until the form is changed. */
  readonly shown: Plan | null;
  readonly run: (values: Values, isReview?: boolean) => Promise<void>;
  /** Forgets the error, when something else is wrong that the form finds itself. */
  readonly forget: () => void;
}

function useSubmission<Values extends object>(props: FormWindowProps<Values>): Submission<Values> {
  const { form, submit, onClose, done, fieldOf = (path) => path, stays = false } = props;
  const [error, setError] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const [reviewed, setReviewed] = useState<{ plan: Plan; values: string } | null>(null);
  const send = useSend();
  const planOf = usePlan();
  const shown = reviewed?.values === JSON.stringify(form.getValues()) ? reviewed.plan : null;
  const faultsIn = (failure: unknown): Faults =>
    Object.fromEntries(Object.entries(faultsByPath(failure)).map(([path, text]) => [fieldOf(path), text]));
  const askForPlan: Send = async (operation, input) => {
    throw new Reviewed(await planOf(operation, input));
  };
  const sendAsShown: Send = (operation, input) =>
    send(operation, shown === null ? input : { ...input, ifMatch: shown.etag });
  const run = async (values: Values, isReview = false): Promise<void> => {
    setRunning(true);
    setError(null);
    form.clearErrors();
    try {
      await submit(values, isReview ? askForPlan : sendAsShown);
      if (done !== undefined) notifySuccess(done);
      if (!stays) onClose();
    } catch (failure) {
      if (failure instanceof Reviewed) {
        setReviewed({ plan: failure.plan, values: JSON.stringify(values) });
        return;
      }
      setError(failure);
      form.setErrors(faultsIn(failure));
    } finally {
      setRunning(false);
    }
  };
  return { error, faults: faultsIn(error), isRunning, shown, run, forget: () => setError(null) };
}

/** Ends a submission that was only a preview. */
class Reviewed extends Error {
  constructor(readonly plan: Plan) {
    super("reviewed");
  }
}

interface RefusalProps {
  readonly error: unknown;
  /** What is wrong with the fields. */
  readonly problems: readonly string[];
  readonly onReload: (() => void) | undefined;
}

function Refusal({ error, problems, onReload }: RefusalProps): ReactNode {
  const { title, text } = describeFailure(error);
  const [problem] = problems;
  return (
    <Alert color={isChanged(error) ? "yellow" : "red"} role="alert" title={problem === undefined ? title : "Not saved"}>
      {problem === undefined && text !== title && text}
      {problems.length === 1 && problem}
      {problems.length > 1 && (
        <List size="sm">
          {problems.map((one) => (
            <List.Item key={one}>{one}</List.Item>
          ))}
        </List>
      )}
      {isChanged(error) && onReload !== undefined && (
        <Button mt="sm" size="xs" variant="default" onClick={onReload}>
          Reload
        </Button>
      )}
    </Alert>
  );
}

package nts

import "context"

// The seconds between two reports of progress.
const waitSeconds = 1

// ImportAndWait imports a file of any size as a job, and waits for its end. onProgress is called about every second, and
// may be nil. The error is what the job failed with; hosts that were done remain imported.
func (c *Client) ImportAndWait(
	ctx context.Context, format ImportFormat, file []byte, params ImportFileParams, onProgress func(ImportJobWithPlan), options ...Option,
) (*ImportPlan, error) {
	started, err := c.ImportFileAsJob(ctx, format, file, params, options...)
	if err != nil {
		return nil, err
	}
	if started.Data.Job == nil {
		return started.Data.Result, nil
	}
	ended, err := c.WaitForImport(ctx, started.Data.Job.ID, onProgress)
	if err != nil {
		return nil, err
	}
	return ended.Plan, nil
}

// WaitForImport waits for the end of an import job. The error is what it failed with.
func (c *Client) WaitForImport(ctx context.Context, id string, onProgress func(ImportJobWithPlan)) (*ImportJobWithPlan, error) {
	for {
		read, err := c.GetImportJob(ctx, id, GetImportJobParams{Wait: Ptr(waitSeconds)})
		if err != nil {
			return nil, err
		}
		job := &read.Data
		if onProgress != nil {
			onProgress(*job)
		}
		switch job.State {
		case JobStateQueued, JobStateRunning:
		case JobStateDone:
			return job, nil
		default:
			return nil, endedEarly(job.Error, job.RequestID, "/api/v1/imports")
		}
	}
}

// RevertAndWait reverts the changes of a request, such as an import; many as a job. The error is what it failed with.
func (c *Client) RevertAndWait(ctx context.Context, requestID string, onProgress func(RevertJob), options ...Option) (*Reverted, error) {
	started, err := c.RevertChangesAsJob(ctx, RevertChangesBody{RequestID: requestID}, options...)
	if err != nil {
		return nil, err
	}
	if started.Data.Job == nil {
		return started.Data.Result, nil
	}
	for {
		read, err := c.GetRevertJob(ctx, started.Data.Job.ID, GetRevertJobParams{Wait: Ptr(waitSeconds)})
		if err != nil {
			return nil, err
		}
		job := read.Data
		if onProgress != nil {
			onProgress(job)
		}
		switch job.State {
		case JobStateQueued, JobStateRunning:
		case JobStateDone:
			return job.Result, nil
		default:
			return nil, endedEarly(job.Error, job.RequestID, "/api/v1/changes/revert")
		}
	}
}

func endedEarly(failure *ImportJobError, requestID, path string) *Error {
	if failure == nil {
		return &Error{Message: "The job was cancelled.", Code: Cancelled, RequestID: requestID, Method: "POST", Path: path}
	}
	return &Error{
		Message:   failure.Message,
		Status:    failure.Status,
		Code:      ErrorCode(failure.Code),
		Params:    failure.Params,
		RequestID: requestID,
		Method:    "POST",
		Path:      path,
	}
}

package nts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	// Unreachable is the code of an error without a response.
	Unreachable ErrorCode = "unreachable"
	// UnreadableAnswer is the code of a response that is not from the API, but for example from a proxy.
	UnreadableAnswer ErrorCode = "unreadable_answer"
	// Cancelled is the code of a job that was cancelled.
	Cancelled ErrorCode = "cancelled"
)

// Error is a failed request.
type Error struct {
	Message string
	// Status is that of HTTP; 0 if there was no response.
	Status int
	Code   ErrorCode
	// Params are details, documented with each code.
	Params map[string]any
	// RequestID identifies the request in the logs of the server; empty if there was no response.
	RequestID string
	Method    string
	// Path has a query, but no origin.
	Path string
	// RetryAfter is how long to wait, if the response says so.
	RetryAfter time.Duration
	cause      error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %s (%s)", e.Method, e.Path, e.Message, e.Code)
}

func (e *Error) Unwrap() error { return e.cause }

// HasCode says whether an error is a failed request with this code.
func HasCode(err error, code ErrorCode) bool {
	var failed *Error
	return errors.As(err, &failed) && failed.Code == code
}

// unreachable is the error of a request without a response; that of the context if it has ended.
func unreachable(ctx context.Context, made *request, cause error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// The address is known, and may be long.
	var inner *url.Error
	if errors.As(cause, &inner) {
		cause = inner.Err
	}
	message := fmt.Sprintf("The server could not be reached: %v.", cause)
	return &Error{Message: message, Code: Unreachable, Method: made.method, Path: made.target(), cause: cause}
}

func failureOf(made *request, response *http.Response, text []byte) *Error {
	failed := &Error{
		Status:     response.StatusCode,
		Method:     made.method,
		Path:       made.target(),
		RetryAfter: durationIn(response.Header.Get("Retry-After")),
	}
	var found struct {
		Success *bool          `json:"success"`
		Error   string         `json:"error"`
		Code    ErrorCode      `json:"code"`
		Params  map[string]any `json:"params"`
		Meta    struct {
			RequestID string `json:"request_id"`
		} `json:"meta"`
	}
	if json.Unmarshal(text, &found) != nil || found.Success == nil || *found.Success {
		failed.Code = UnreadableAnswer
		failed.Message = fmt.Sprintf("The response (%d) is not from the API.", response.StatusCode)
		return failed
	}
	failed.Message, failed.Code, failed.Params, failed.RequestID = found.Error, found.Code, found.Params, found.Meta.RequestID
	return failed
}

// durationIn reads Retry-After; proxies may send a date.
func durationIn(retryAfter string) time.Duration {
	if seconds, err := strconv.Atoi(retryAfter); err == nil {
		return time.Duration(max(0, seconds)) * time.Second
	}
	if at, err := http.ParseTime(retryAfter); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

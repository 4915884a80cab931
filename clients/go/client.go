// Package nts is a client of the network topology service.
//
// Every operation of the API that an API key can use is a method of [Client]. [Rows] iterates over lists, [Edit] writes
// conditionally, [Client.Watch] follows changes, and [Client.ImportAndWait] imports files of any size.
package nts

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Client is the API for one API key. It may be used by several goroutines; set its fields before.
type Client struct {
	// BaseURL has no trailing slash.
	BaseURL string
	APIKey  string
	// Retries is how often a request is repeated at most.
	Retries int
	// LongestWait is how long a request may be told to wait, as by `Retry-After`. If it is longer, the call fails at once.
	LongestWait time.Duration
	// Header is sent with every request.
	Header http.Header
	HTTP   *http.Client
}

// New creates a client that repeats requests up to four times.
func New(baseURL, apiKey string) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = time.Minute
	return &Client{
		BaseURL:     strings.TrimRight(baseURL, "/"),
		APIKey:      apiKey,
		Retries:     4,
		LongestWait: time.Minute,
		HTTP:        &http.Client{Transport: transport},
	}
}

// Response is a successful response.
type Response[Data any] struct {
	Data Data
	// ETag is to be sent back by [IfMatch]; empty if there is none.
	ETag string
	// Meta is empty for files.
	Meta ResponseMeta
	// RequestID identifies the request in the logs of the server.
	RequestID string
	// IsReplayed says that it is the response of an earlier request with the same idempotency key.
	IsReplayed bool
}

// ResponseMeta is `meta` of an envelope.
type ResponseMeta struct {
	APIVersion    int    `json:"api_version"`
	ServerVersion string `json:"server_version"`
	// Pagination is that of a list.
	Pagination *Pagination `json:"pagination"`
	// Next is where changes continue, as `After`.
	Next *string `json:"next"`
	// Oldest is the cursor after which all changes are retained.
	Oldest string `json:"oldest"`
	// Plan is what a write changed or would change: with [DryRun] or [Explain].
	Plan *Plan `json:"plan"`
	// ChangesCursor is where the changes begin that a list without limit lacks.
	ChangesCursor string `json:"changes_cursor"`
}

// Nothing is the data of a response that has none.
type Nothing struct{}

// Started is what a request has led to that was sent as a job: one of both.
type Started[Job, Result any] struct {
	Job    *Job
	Result *Result
}

// ErrNotModified is the error of a read with [IfNoneMatch] if what it reads still has this ETag.
var ErrNotModified = errors.New("not modified")

// Option is an option of a request.
type Option func(*request)

// IfMatch makes a request fail with 412 unless the entity has this ETag. That of a plan makes a write do exactly that.
func IfMatch(etag string) Option { return header("If-Match", etag) }

// IfNoneMatch makes a read fail with [ErrNotModified] if the entity has this ETag.
func IfNoneMatch(etag string) Option { return header("If-None-Match", etag) }

// IdempotencyKey identifies a write: repeating it within 24 hours returns the first response without a second effect.
// Without this option every write has a random one.
func IdempotencyKey(key string) Option { return header("Idempotency-Key", key) }

// Comment is recorded with the change; up to 200 characters.
func Comment(text string) Option { return header("Change-Comment", text) }

// DryRun makes a write return what it would do, without doing it.
func DryRun() Option { return query("dry_run", "true") }

// Explain adds the changes to the response of a write, as `Meta.Plan`.
func Explain() Option { return query("explain", "true") }

// AsOf reads the state at a time or at a cursor of the change journal.
func AsOf(moment string) Option { return query("as_of", moment) }

func header(name, value string) Option { return func(r *request) { r.header.Set(name, value) } }
func query(name, value string) Option  { return func(r *request) { r.query.Set(name, value) } }

// call is what an operation sends.
type call struct {
	method, path string
	params       any
	format       string
	body         any
	mediaType    string
	takesKey     bool
}

type request struct {
	method, path string
	query        url.Values
	header       http.Header
	body         []byte
	isSafe       bool
}

func (r *request) target() string {
	if len(r.query) == 0 {
		return r.path
	}
	return r.path + "?" + r.query.Encode()
}

func (c *Client) newRequest(one call, options []Option) (*request, error) {
	made := &request{method: one.method, path: one.path, query: queryOf(one.params), header: http.Header{}}
	for name, values := range c.Header {
		made.header[name] = values
	}
	made.header.Set("Accept", "application/json")
	if c.APIKey != "" {
		made.header.Set("Authorization", "Bearer "+c.APIKey)
	}
	if one.format != "" {
		made.query.Set("format", one.format)
	}
	if one.body != nil {
		made.header.Set("Content-Type", "application/json")
		if one.mediaType != "" {
			made.header.Set("Content-Type", one.mediaType)
		}
		if file, isFile := one.body.([]byte); isFile {
			made.body = file
		} else if text, err := json.Marshal(one.body); err == nil {
			made.body = text
		} else {
			return nil, err
		}
	}
	for _, option := range options {
		option(made)
	}
	if one.takesKey && c.Retries > 0 && made.header.Get("Idempotency-Key") == "" {
		made.header.Set("Idempotency-Key", newKey())
	}
	made.isSafe = one.method == "GET" || one.takesKey && made.header.Get("Idempotency-Key") != ""
	return made, nil
}

func newKey() string {
	bytes := make([]byte, 16)
	_, _ = rand.Read(bytes) // never fails
	return hex.EncodeToString(bytes)
}

func escape[Text ~string](value Text) string { return url.PathEscape(string(value)) }

// queryOf reads the fields of a struct of parameters. Each element of a list becomes a parameter, in which a comma would
// separate elements.
func queryOf(params any) url.Values {
	found := url.Values{}
	if params == nil {
		return found
	}
	value := reflect.ValueOf(params)
	for index := range value.NumField() {
		field, name := value.Field(index), value.Type().Field(index).Tag.Get("query")
		if field.IsZero() || name == "-" {
			continue
		}
		if field.Kind() == reflect.Slice {
			for element := range field.Len() {
				found.Add(name, strings.ReplaceAll(textOf(field.Index(element)), ",", `\,`))
			}
		} else {
			found.Set(name, textOf(reflect.Indirect(field)))
		}
	}
	return found
}

func textOf(value reflect.Value) string {
	switch one := value.Interface().(type) {
	case time.Time:
		return one.UTC().Format(time.RFC3339Nano)
	case bool:
		return strconv.FormatBool(one)
	default:
		return fmt.Sprint(one)
	}
}

type envelope struct {
	Success *bool           `json:"success"`
	Data    json.RawMessage `json:"data"`
	Meta    ResponseMeta    `json:"meta"`
}

func send[Data any](ctx context.Context, c *Client, one call, options []Option) (*Response[Data], error) {
	return exchange(ctx, c, one, options, func(data json.RawMessage, _ int) (read Data, err error) {
		err = json.Unmarshal(data, &read)
		return read, err
	})
}

func start[Job, Result any](ctx context.Context, c *Client, one call, options []Option) (*Response[Started[Job, Result]], error) {
	options = append(options[:len(options):len(options)], header("Prefer", "respond-async"))
	return exchange(ctx, c, one, options, func(data json.RawMessage, status int) (read Started[Job, Result], err error) {
		if status == http.StatusAccepted {
			err = json.Unmarshal(data, &read.Job)
		} else {
			err = json.Unmarshal(data, &read.Result)
		}
		return read, err
	})
}

func exchange[Data any](
	ctx context.Context, c *Client, one call, options []Option, read func(json.RawMessage, int) (Data, error),
) (*Response[Data], error) {
	made, err := c.newRequest(one, options)
	if err != nil {
		return nil, err
	}
	return retrying(ctx, c, made.isSafe, func() (*Response[Data], error) {
		response, text, err := c.once(ctx, made)
		if err != nil {
			return nil, err
		}
		var found envelope
		if json.Unmarshal(text, &found) != nil || found.Success == nil || !*found.Success {
			// A failure may become known after the status was sent.
			return nil, failureOf(made, response, text)
		}
		data, err := read(found.Data, response.StatusCode)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", made.method, made.path, err)
		}
		return responseOf(response, data, found.Meta), nil
	})
}

func sendFile(ctx context.Context, c *Client, one call, options []Option) (*Response[[]byte], error) {
	options = append(options[:len(options):len(options)], header("Accept", "*/*"))
	made, err := c.newRequest(one, options)
	if err != nil {
		return nil, err
	}
	return retrying(ctx, c, made.isSafe, func() (*Response[[]byte], error) {
		response, text, err := c.once(ctx, made)
		if err != nil {
			return nil, err
		}
		return responseOf(response, text, ResponseMeta{}), nil
	})
}

func responseOf[Data any](response *http.Response, data Data, meta ResponseMeta) *Response[Data] {
	return &Response[Data]{
		Data:       data,
		ETag:       response.Header.Get("ETag"),
		Meta:       meta,
		RequestID:  response.Header.Get("X-Request-Id"),
		IsReplayed: response.Header.Get("Idempotency-Replayed") == "true",
	}
}

func (c *Client) once(ctx context.Context, made *request) (*http.Response, []byte, error) {
	response, err := c.open(ctx, made)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, nil, unreachable(ctx, made, err)
	}
	return response, text, nil
}

// open returns a successful response with its body unread.
func (c *Client) open(ctx context.Context, made *request) (*http.Response, error) {
	asked, err := http.NewRequestWithContext(ctx, made.method, c.BaseURL+made.target(), bytes.NewReader(made.body))
	if err != nil {
		return nil, err
	}
	asked.Header = made.header.Clone()
	response, err := c.HTTP.Do(asked)
	if err != nil {
		return nil, unreachable(ctx, made, err)
	}
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		return response, nil
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotModified {
		return nil, ErrNotModified
	}
	text, _ := io.ReadAll(response.Body)
	return nil, failureOf(made, response, text)
}

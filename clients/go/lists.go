package nts

import (
	"context"
	"errors"
	"iter"
)

// Pages iterates over the pages of a list or of the change journal:
//
//	for hosts, err := range nts.Pages(ctx, client.ListHosts, nts.ListHostsParams{}) { … }
//
// An error ends it.
func Pages[Params, Row any](
	ctx context.Context,
	list func(context.Context, Params, ...Option) (*Response[[]Row], error),
	params Params,
	options ...Option,
) iter.Seq2[[]Row, error] {
	return func(yield func([]Row, error) bool) {
		var after string
		place := options
		for {
			page, err := list(ctx, params, place...)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(page.Data, nil) {
				return
			}
			next, hasNext := behind(page, after)
			if !hasNext {
				return
			}
			after = next
			name := "after"
			if page.Meta.Pagination != nil {
				name = "cursor"
			}
			place = append(options[:len(options):len(options)], query(name, next))
		}
	}
}

// behind returns where the next page begins. A page of the journal may be empty although more follow: then the cursor
// advances.
func behind[Row any](page *Response[[]Row], after string) (next string, hasNext bool) {
	if pagination := page.Meta.Pagination; pagination != nil {
		if pagination.Next == nil {
			return "", false
		}
		return *pagination.Next, true
	}
	if page.Meta.Next == nil || len(page.Data) == 0 && *page.Meta.Next == after {
		return "", false
	}
	return *page.Meta.Next, true
}

// Rows iterates over the rows of a list, reading pages as they are needed. An error ends it.
func Rows[Params, Row any](
	ctx context.Context,
	list func(context.Context, Params, ...Option) (*Response[[]Row], error),
	params Params,
	options ...Option,
) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for page, err := range Pages(ctx, list, params, options...) {
			if err != nil {
				var none Row
				yield(none, err)
				return
			}
			for _, row := range page {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

const mostEdits = 5

// Edit reads an entity, computes the body from it, and writes on condition that it is unmodified. If somebody else was
// faster, it starts again, up to five times. The options are those of the write, such as [Comment].
func Edit[Entity, Body, Written any](
	ctx context.Context,
	read func(context.Context, string, ...Option) (*Response[Entity], error),
	write func(context.Context, string, Body, ...Option) (*Response[Written], error),
	id string,
	change func(Entity) Body,
	options ...Option,
) (*Response[Written], error) {
	for attempt := 1; ; attempt++ {
		current, err := read(ctx, id)
		if err != nil {
			return nil, err
		}
		condition := append(options[:len(options):len(options)], IfMatch(current.ETag))
		written, err := write(ctx, id, change(current.Data), condition...)
		var failed *Error
		if !errors.As(err, &failed) || failed.Status != 412 || attempt == mostEdits {
			return written, err
		}
	}
}

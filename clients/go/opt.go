package nts

import "encoding/json"

// Opt is a member that may be absent, null or a value. Absent is its zero value: the member is not sent.
type Opt[Value any] struct {
	value *Value
	isSet bool
}

// Set gives a member a value.
func Set[Value any](value Value) Opt[Value] { return Opt[Value]{&value, true} }

// Null makes a member null, which clears it.
func Null[Value any]() Opt[Value] { return Opt[Value]{nil, true} }

// Ptr returns a pointer to a value, for members that may be absent.
func Ptr[Value any](value Value) *Value { return &value }

// Get returns the value, and whether there is one: neither absent nor null.
func (o Opt[Value]) Get() (value Value, has bool) {
	if o.value == nil {
		return value, false
	}
	return *o.value, true
}

// IsNull says whether it is null, not absent.
func (o Opt[Value]) IsNull() bool { return o.isSet && o.value == nil }

// IsZero says whether it is absent.
func (o Opt[Value]) IsZero() bool { return !o.isSet }

func (o Opt[Value]) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

func (o *Opt[Value]) UnmarshalJSON(text []byte) error {
	o.isSet = true
	return json.Unmarshal(text, &o.value)
}

// List is a list that is empty, not null, if it was not made. A slice may be assigned to it.
type List[Value any] []Value

func (l List[Value]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]Value(l))
}

package explore

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
)

// KeyOf digests a value of any shape: all of its fields, at any depth, exported
// or not, so that a field that is added later counts by itself. Two nil-or-empty
// slices are the same; pointers count by what they point to; interfaces count by
// their dynamic type and value. Maps, functions and channels have no order or no
// value, and panic: a world has none.
//
// Names that are made of letters and a number, such as t12, count only by where
// else they stand: two values that differ in nothing but the numbers of such names
// have the same key.
func KeyOf(v any) Key {
	d := digest{out: make([]byte, 0, 1024)}
	d.value(reflect.ValueOf(v))
	sum := sha256.Sum256(d.out)
	return Key(sum[:16])
}

type digest struct {
	out []byte
	// names are those that were met, in order.
	names []string
}

func (d *digest) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		d.flag(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.out = binary.AppendVarint(d.out, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		d.out = binary.AppendUvarint(d.out, v.Uint())
	case reflect.String:
		d.text(v.String())
	case reflect.Slice, reflect.Array:
		d.out = binary.AppendUvarint(d.out, uint64(v.Len()))
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			d.value(v.Field(i))
		}
	case reflect.Pointer, reflect.Interface:
		d.flag(!v.IsNil())
		if v.IsNil() {
			return
		}
		if v.Kind() == reflect.Interface {
			d.bytes(v.Elem().Type().String())
		}
		d.value(v.Elem())
	default:
		panic(fmt.Sprintf("explore: a %s has no place in a world", v.Type()))
	}
}

func (d *digest) flag(b bool) {
	if b {
		d.out = append(d.out, 1)
		return
	}
	d.out = append(d.out, 0)
}

func (d *digest) bytes(s string) {
	d.out = binary.AppendUvarint(d.out, uint64(len(s)))
	d.out = append(d.out, s...)
}

// text digests a string, in which names are replaced by when they were met first.
func (d *digest) text(s string) {
	for {
		from, to := nameIn(s)
		d.bytes(s[:from])
		if from == to {
			return
		}
		name := s[from:to]
		at := slices.Index(d.names, name)
		if at < 0 {
			at = len(d.names)
			d.names = append(d.names, name)
		}
		d.out = append(d.out, 0xff, byte(at))
		s = s[to:]
	}
}

// nameIn finds the first name in a string; an empty range at its end if there is
// none.
func nameIn(s string) (from, to int) {
	for i := range len(s) {
		if !digit(s[i]) || i == 0 || !letter(s[i-1]) {
			continue
		}
		for from = i; from > 0 && letter(s[from-1]); from-- {
		}
		for to = i; to < len(s) && digit(s[to]); to++ {
		}
		return from, to
	}
	return len(s), len(s)
}

func digit(b byte) bool  { return b >= '0' && b <= '9' }
func letter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

// What the programs in Go expect.
package main

func succeeds(err error) {
	if err != nil {
		panic(err)
	}
}

func is(fact bool, what string) {
	if !fact {
		panic("not " + what)
	}
}

// Command fsmdoc renders the machines as they are declared in code.
//
//	go run ./cmd/fsmdoc                     the conversation machine as Mermaid
//	go run ./cmd/fsmdoc -format FORMAT      mermaid, dot, svg: one machine (-machine NAME);
//	                                        md, html, json: all machines and sentences
//	go run ./cmd/fsmdoc -format html -journal FILE   with the path of a journal drawn in
//	go run ./cmd/fsmdoc -out DIR -doc FILE -into FILE    writes the golden set, the document,
//	                                        and the marked block of a file, where they changed
//	go run ./cmd/fsmdoc -check              fails with a diff where one of these is stale
//
// A journal is what deskbridge journal prints: a line of JSON for each step.
//
// What belongs here: putting together what the fsm package renders, and what
// only documents need (Chinese names of states, which test holds which
// invariant). What does not: anything that a machine's declaration could say.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

type options struct {
	format, machine, journal string
	targets                  targets
	check                    bool
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fsmdoc: "+err.Error())
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	var opt options
	flags := flag.NewFlagSet("fsmdoc", flag.ContinueOnError)
	flags.StringVar(&opt.format, "format", "", "print to standard output: mermaid, dot, svg, md, html or json (default mermaid)")
	flags.StringVar(&opt.machine, "machine", "", "the machine that mermaid, dot and svg show (default conversation)")
	flags.StringVar(&opt.journal, "journal", "", "with -format html: draw the path of this journal")
	flags.StringVar(&opt.targets.out, "out", "", "write the golden set to this folder")
	flags.StringVar(&opt.targets.doc, "doc", "", "write the document of the machines to this file")
	flags.StringVar(&opt.targets.into, "into", "", "replace the marked block of this file")
	flags.BoolVar(&opt.check, "check", false, "write nothing, and fail if something is stale; looks at -out golden/machine -doc docs/machine.md -into README.md unless some of these are given")
	flags.SetOutput(io.Discard) // a mistake is told once, by whoever called
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(out)
		flags.Usage()
		return nil
	} else if err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	printing := opt.format != "" || opt.machine != "" || opt.journal != ""
	writing := opt.check || opt.targets != (targets{})
	switch b := load(); {
	case printing && writing:
		return errors.New("-format, -machine and -journal print; -out, -doc, -into and -check do not: use one or the other")
	case opt.check:
		return b.check(opt.targets)
	case writing:
		return b.write(opt.targets)
	default:
		return b.print(out, opt)
	}
}

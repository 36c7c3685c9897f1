package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// verdict is what came of one change.
type verdict struct {
	// Drawn counts all changes that the seed draws, from 1.
	Drawn  int    `json:"drawn"`
	Change string `json:"change"`
	// By is the package whose tests noticed it, "" if none did.
	By string `json:"by"`
	// Seconds of CPU that it took.
	Seconds float64 `json:"seconds"`
}

// state is a file with a line for each verdict, so that a run that was ended goes on.
type state struct {
	file  string
	known map[int]verdict
}

func readState(file string) (*state, error) {
	s := &state{file: file, known: map[int]verdict{}}
	if file == "" {
		return s, nil
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var v verdict
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		s.known[v.Drawn] = v
	}
	return s, nil
}

// verdict is what is known of a change already. A file of other code or of another seed
// is refused: what it says is about other changes.
func (s *state) verdict(drawn int, m mutation) (verdict, bool, error) {
	v, ok := s.known[drawn]
	if ok && v.Change != m.String() {
		return v, false, fmt.Errorf("%s is about other code or another seed: change %d was %s, it is %s", s.file, drawn, v.Change, m)
	}
	return v, ok, nil
}

func (s *state) add(v verdict) error {
	if s.file == "" {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(s.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	return errors.Join(err, f.Close())
}

// spent is the CPU time of all processes that ended.
func spent() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

package judge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// patience is for what the server does in its own time.
	patience  = time.Minute
	pollEvery = 100 * time.Millisecond
)

// install makes the server have these CRDs. Others stay: to remove and add CRDs is
// what costs most, and nothing is judged by what the server happens to have.
func (s *Session) install(ctx context.Context, wanted []*definition) ([]Problem, error) {
	var added, replaced []*definition
	for _, d := range wanted {
		switch there := s.installed[d.object.GetName()]; {
		case there == nil:
			added = append(added, d)
		case there.sum != d.sum:
			added, replaced = append(added, d), append(replaced, there)
		}
	}
	if err := s.uninstall(ctx, replaced); err != nil {
		return nil, err
	}
	var problems []Problem
	for _, d := range added {
		if answer := s.client.Create(ctx, d.object, d.data); answer.Err != nil {
			for _, one := range refusals(answer.Err) {
				problems = append(problems, Problem{d.source, nameOf(d.object), one.field, one.message})
			}
			continue
		}
		s.installed[d.object.GetName()] = d
	}
	if len(added) == 0 {
		return nil, nil
	}
	return problems, s.waitUntilServed(ctx, added)
}

// waitUntilServed waits for what comes after a CRD is stored: discovery knows its
// versions, and each answers.
func (s *Session) waitUntilServed(ctx context.Context, definitions []*definition) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, pollEvery, patience, true, func(ctx context.Context) (bool, error) {
		if last = s.client.Discover(ctx); last != nil {
			return false, nil
		}
		for _, d := range definitions {
			if s.installed[d.object.GetName()] != d {
				continue
			}
			for _, object := range d.served() {
				if last = s.client.List(ctx, object); last != nil {
					return false, nil
				}
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("custom resources are not served: %w", errors.Join(err, last))
	}
	return nil
}

// uninstall returns when the CRDs are gone; one that is merely marked for
// deletion would take the next of its name with it.
func (s *Session) uninstall(ctx context.Context, definitions []*definition) error {
	if len(definitions) == 0 {
		return nil
	}
	for _, d := range definitions {
		if err := s.client.Delete(ctx, d.object); err != nil {
			return err
		}
	}
	for _, d := range definitions {
		if err := s.waitUntilGone(ctx, d.object); err != nil {
			return err
		}
		delete(s.installed, d.object.GetName())
	}
	return s.client.Discover(ctx)
}

func (s *Session) waitUntilGone(ctx context.Context, object *unstructured.Unstructured) error {
	err := wait.PollUntilContextTimeout(ctx, pollEvery, patience, true, func(ctx context.Context) (bool, error) {
		there, err := s.client.Exists(ctx, object)
		return !there, err
	})
	if err != nil {
		return fmt.Errorf("%s does not go away: %w", nameOf(object), err)
	}
	return nil
}

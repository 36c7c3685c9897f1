package judge

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// passes is how often what was refused is tried again, as Argo CD's retries do.
const passes = 5

// allocated are addresses that the server gives away by chance.
var allocated = []string{"spec.clusterIP", "spec.clusterIPs"}

// Order is an order other than the tree's own.
type Order struct {
	name    string
	arrange func([]*Document)
	// definitionsLater makes the CRDs arrive after everything was tried once.
	definitionsLater bool
}

// Reverse is the tree's order backwards, with the CRDs last of all.
func Reverse() Order {
	return Order{name: "reverse order", arrange: slices.Reverse[[]*Document], definitionsLater: true}
}

// Shuffled is a random order, always the same for a seed.
func Shuffled(seed uint64) Order {
	return Order{name: fmt.Sprintf("shuffled order %d", seed), arrange: func(documents []*Document) {
		random := rand.New(rand.NewPCG(seed, seed))
		random.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
	}}
}

// inOrder applies the documents that the server took before in another order, and
// reports what does not end as it did then.
func (s *Session) inOrder(ctx context.Context, documents []*Document, definitions []*definition, order Order, r *Report) error {
	want, taken, err := s.state(ctx, documents)
	if err != nil {
		return err
	}
	if err := s.clean(ctx); err != nil {
		return err
	}
	if order.definitionsLater {
		if err := s.uninstall(ctx, s.usedBy(taken, definitions)); err != nil {
			return err
		}
	}
	if err := s.prepare(ctx, taken, r); err != nil {
		return err
	}
	pending := slices.Clone(taken)
	order.arrange(pending)
	var last map[*Document]error
	for pass := 0; pass < passes && len(pending) > 0; pass++ {
		if pending, last, err = s.try(ctx, pending); err != nil {
			return err
		}
		if pass == 0 && order.definitionsLater {
			if _, err := s.install(ctx, definitions); err != nil {
				return err
			}
		}
	}
	for _, d := range pending {
		r.add(d, []slip{{"", fmt.Sprintf("in %s it is still refused at try %d: %v", order.name, passes, last[d])}})
	}
	got, _, err := s.state(ctx, taken)
	if err != nil {
		return err
	}
	for _, d := range taken {
		if g, ok := got[d]; ok && g != want[d] {
			r.add(d, []slip{{"", fmt.Sprintf("in %s it ends as %s, in the tree's order as %s", order.name, g, want[d])}})
		}
	}
	return nil
}

// usedBy returns those of the CRDs that the server has and the documents need.
func (s *Session) usedBy(documents []*Document, definitions []*definition) []*definition {
	used := map[schema.GroupKind]bool{}
	for _, d := range documents {
		used[d.Object.GroupVersionKind().GroupKind()] = true
	}
	return slices.DeleteFunc(slices.Clone(definitions), func(d *definition) bool {
		return s.installed[d.object.GetName()] == nil || !used[d.groupKind()]
	})
}

// try applies documents and returns those that were refused.
func (s *Session) try(ctx context.Context, documents []*Document) ([]*Document, map[*Document]error, error) {
	var refused []*Document
	why := map[*Document]error{}
	for _, d := range documents {
		answer := s.apply(ctx, d)
		if answer.Err != nil {
			refused, why[d] = append(refused, d), answer.Err
			continue
		}
		if err := s.playControllers(ctx, answer.Object); err != nil {
			return nil, nil, err
		}
	}
	return refused, why, nil
}

// state returns what the server has of the documents, without what differs each
// time, and those that it has at all.
func (s *Session) state(ctx context.Context, documents []*Document) (map[*Document]string, []*Document, error) {
	state := map[*Document]string{}
	var taken []*Document
	for _, d := range documents {
		if d.blocks() {
			continue
		}
		answer := s.client.Get(ctx, d.Object)
		if apierrors.IsNotFound(answer.Err) {
			continue
		}
		if answer.Err != nil {
			return nil, nil, answer.Err
		}
		uid := string(answer.Object.GetUID())
		for _, field := range slices.Concat(serverFields, allocated) {
			unstructured.RemoveNestedField(answer.Object.Object, strings.Split(field, ".")...)
		}
		// Some labels are made of the UID.
		state[d] = strings.ReplaceAll(asJSON(answer.Object.Object), uid, "")
		taken = append(taken, d)
	}
	return state, taken, nil
}

package played

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (c *Cluster) node(ctx context.Context, name string, labels map[string]string) error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		corev1.LabelHostname: name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
	}}}
	for key, value := range labels {
		node.Labels[key] = value
	}
	nodes := c.client.CoreV1().Nodes()
	there, err := nodes.Create(ctx, node, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	// Admission makes it not ready.
	there.Spec.Taints = nil
	if there, err = nodes.Update(ctx, there, metav1.UpdateOptions{}); err != nil {
		return err
	}
	there.Status.Capacity = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("512Gi"),
		corev1.ResourcePods: resource.MustParse("250"), corev1.ResourceEphemeralStorage: resource.MustParse("1Ti"),
	}
	there.Status.Allocatable = there.Status.Capacity
	there.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Played",
		LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now(),
	}}
	_, err = nodes.UpdateStatus(ctx, there, metav1.UpdateOptions{})
	return err
}

// runPods has each Pod that is on a node run, and those of Jobs succeed.
func (c *Cluster) runPods(ctx context.Context) error {
	// From the server's cache: it is asked often.
	list, err := c.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return err
	}
	var failures []error
	for i := range list.Items {
		pod := &list.Items[i]
		pods := c.client.CoreV1().Pods(pod.Namespace)
		if pod.DeletionTimestamp != nil {
			err := pods.Delete(ctx, pod.Name, *metav1.NewDeleteOptions(0))
			if !apierrors.IsNotFound(err) {
				failures = append(failures, err)
			}
			continue
		}
		job := metav1.GetControllerOf(pod) != nil && metav1.GetControllerOf(pod).Kind == "Job"
		want := corev1.PodRunning
		if job {
			want = corev1.PodSucceeded
		}
		if pod.Spec.NodeName == "" || pod.Status.Phase == want {
			continue
		}
		run(pod, want)
		_, err := pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

func run(pod *corev1.Pod, phase corev1.PodPhase) {
	now := metav1.Now()
	ended := phase == corev1.PodSucceeded
	pod.Status.Phase, pod.Status.StartTime = phase, &now
	pod.Status.PodIP, pod.Status.PodIPs = Address.String(), []corev1.PodIP{{IP: Address.String()}}
	pod.Status.Conditions = nil
	for _, kind := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		condition := corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: now}
		if ended && (kind == corev1.ContainersReady || kind == corev1.PodReady) {
			condition.Status = corev1.ConditionFalse
		}
		pod.Status.Conditions = append(pod.Status.Conditions, condition)
	}
	pod.Status.ContainerStatuses = nil
	for _, container := range pod.Spec.Containers {
		started := true
		status := corev1.ContainerStatus{Name: container.Name, Image: container.Image, ImageID: container.Image, Ready: !ended}
		if ended {
			status.State.Terminated = &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: now, FinishedAt: now}
		} else {
			status.State.Running, status.Started = &corev1.ContainerStateRunning{StartedAt: now}, &started
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
	}
}

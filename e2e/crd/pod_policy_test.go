package crd_test

import (
	"os"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"
)

// Where Pods reach an RDMA fabric, a policy takes the place of Pod Security's level
// baseline: by Kubernetes' own evaluation of it, it lets IPC_LOCK pass and nothing
// else that the level refuses. See
// https://kubernetes.io/docs/concepts/security/pod-security-standards/ (read 2026-11).
func TestThePolicyOnPodsIsBaselineAndTheRightToPinMemory(t *testing.T) {
	text, err := os.ReadFile("../../golden/aks-nd-h100/tenants/validatingadmissionpolicy-gpugen-rdma-pods.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var policy admissionv1.ValidatingAdmissionPolicy
	if err := yaml.UnmarshalStrict(text, &policy); err != nil {
		t.Fatal(err)
	}
	judge := admissionDecision(t, policy)
	deny := func(pod string) []string {
		t.Helper()
		return judge(admissionRequest{object: pod})
	}
	for name, pod := range map[string]string{
		"nothing":                       `spec: {containers: [{name: a}]}`,
		"IPC_LOCK":                      `spec: {containers: [{name: a, securityContext: {capabilities: {add: [IPC_LOCK]}}}]}`,
		"a capability of baseline":      `spec: {containers: [{name: a, securityContext: {capabilities: {drop: [ALL], add: [CHOWN]}, seccompProfile: {type: RuntimeDefault}}}]}`,
		"what is said to be off":        `spec: {hostNetwork: false, containers: [{name: a, securityContext: {privileged: false, procMount: Default}}]}`,
		"volumes":                       `spec: {volumes: [{name: v, emptyDir: {}}, {name: w, configMap: {name: x}}], containers: [{name: a}]}`,
		"ports and probes":              `spec: {containers: [{name: a, ports: [{containerPort: 80}], livenessProbe: {httpGet: {path: /, port: 80}}, readinessProbe: {exec: {command: [a]}}, lifecycle: {preStop: {exec: {command: [a]}}}}]}`,
		"networks and a profile":        `{metadata: {annotations: {container.apparmor.security.beta.kubernetes.io/a: localhost/x, k8s.v1.cni.cncf.io/networks: a/b}}, spec: {containers: [{name: a}]}}`,
		"an SELinux level":              `spec: {securityContext: {seLinuxOptions: {level: "s0:c1,c2", type: container_t}}, containers: [{name: a}]}`,
		"a safe sysctl and a group":     `spec: {securityContext: {fsGroup: 1, sysctls: [{name: net.ipv4.tcp_syncookies, value: "1"}]}, containers: [{name: a}]}`,
		"init and ephemeral containers": `spec: {initContainers: [{name: i}], ephemeralContainers: [{name: e}], containers: [{name: a}]}`,
	} {
		if messages := deny(pod); len(messages) > 0 {
			t.Errorf("%s: %q", name, messages)
		}
	}
	for name, pod := range map[string]string{
		"hostNetwork":                    `spec: {hostNetwork: true, containers: [{name: a}]}`,
		"hostPID":                        `spec: {hostPID: true, containers: [{name: a}]}`,
		"hostIPC":                        `spec: {hostIPC: true, containers: [{name: a}]}`,
		"privileged":                     `spec: {containers: [{name: b}, {name: a, securityContext: {privileged: true}}]}`,
		"a privileged init container":    `spec: {initContainers: [{name: i, securityContext: {privileged: true}}], containers: [{name: a}]}`,
		"SYS_ADMIN":                      `spec: {containers: [{name: a, securityContext: {capabilities: {add: [IPC_LOCK, SYS_ADMIN]}}}]}`,
		"ALL":                            `spec: {containers: [{name: a, securityContext: {capabilities: {add: [ALL]}}}]}`,
		"SYS_PTRACE of an ephemeral one": `spec: {ephemeralContainers: [{name: e, securityContext: {capabilities: {add: [SYS_PTRACE]}}}], containers: [{name: a}]}`,
		"hostPath":                       `spec: {volumes: [{name: v, hostPath: {path: /}}], containers: [{name: a}]}`,
		"hostPort":                       `spec: {containers: [{name: a, ports: [{containerPort: 80, hostPort: 80}]}]}`,
		"a probe of another host":        `spec: {containers: [{name: a, livenessProbe: {httpGet: {host: 10.0.0.1, port: 80}}}]}`,
		"a hook to another host":         `spec: {containers: [{name: a, lifecycle: {preStop: {tcpSocket: {host: 10.0.0.1, port: 80}}}}]}`,
		"no AppArmor":                    `spec: {securityContext: {appArmorProfile: {type: Unconfined}}, containers: [{name: a}]}`,
		"no AppArmor in a container":     `spec: {containers: [{name: a, securityContext: {appArmorProfile: {type: Unconfined}}}]}`,
		"no AppArmor by annotation":      `{metadata: {annotations: {container.apparmor.security.beta.kubernetes.io/a: unconfined}}, spec: {containers: [{name: a}]}}`,
		"an SELinux type":                `spec: {containers: [{name: a, securityContext: {seLinuxOptions: {type: spc_t}}}]}`,
		"an SELinux user":                `spec: {securityContext: {seLinuxOptions: {user: root}}, containers: [{name: a}]}`,
		"an SELinux role":                `spec: {containers: [{name: a, securityContext: {seLinuxOptions: {role: sysadm_r}}}]}`,
		"/proc unmasked":                 `spec: {containers: [{name: a, securityContext: {procMount: Unmasked}}]}`,
		"no seccomp":                     `spec: {securityContext: {seccompProfile: {type: Unconfined}}, containers: [{name: a}]}`,
		"no seccomp in a container":      `spec: {containers: [{name: a, securityContext: {seccompProfile: {type: Unconfined}}}]}`,
		"an unsafe sysctl":               `spec: {securityContext: {sysctls: [{name: kernel.msgmax, value: "1"}]}, containers: [{name: a}]}`,
		"a HostProcess Pod":              `spec: {securityContext: {windowsOptions: {hostProcess: true}}, containers: [{name: a}]}`,
		"a HostProcess container":        `spec: {containers: [{name: a, securityContext: {windowsOptions: {hostProcess: true}}}]}`,
	} {
		if messages := deny(pod); len(messages) != 1 {
			t.Errorf("%s: %q", name, messages)
		}
	}
}

package plan

// Kubernetes holds facts about the cluster.
type Kubernetes struct {
	Version        string `json:"version"`
	Distribution   string `json:"distribution"`
	Runtime        string `json:"runtime"`
	RuntimeVersion string `json:"runtimeVersion"`
}

// AlsoAllow are namespaces, and kinds with their groups as kubectl writes them.
type AlsoAllow struct {
	Namespaces []string `json:"namespaces"`
	Kinds      []string `json:"kinds"`
}

// SyncWindow is a time in which Argo CD syncs, or does not.
type SyncWindow struct {
	Kind     string `json:"kind"`
	Schedule string `json:"schedule"`
	Duration string `json:"duration"`
	TimeZone string `json:"timeZone"`
	// Components that it is for; nil is all.
	Components  []string `json:"components"`
	ManualSync  bool     `json:"manualSync"`
	Description string   `json:"description"`
}

// Flux is the Flux that reconciles the tree.
type Flux struct {
	Namespace        string `json:"namespace"`
	GitRepository    string `json:"gitRepository"`
	Interval         string `json:"interval"`
	Timeout          string `json:"timeout"`
	DriftDetection   string `json:"driftDetection"`
	Deletion         string `json:"deletion"`
	KubeConfigSecret string `json:"kubeConfigSecret"`
}

// CEL are expressions that say how healthy an object is.
type CEL struct {
	Current string `json:"current"`
	Failed  string `json:"failed"`
}

// Plugin is gpugen as a config management plugin of Argo CD.
type Plugin struct {
	Name string `json:"name"`
	// Path of the spec's directory in the repository.
	Path string `json:"path"`
}

// GitOps is where the tree lives and how Argo CD treats it.
type GitOps struct {
	RepoURL  string `json:"repoURL"`
	Revision string `json:"revision"`
	Path     string `json:"path"`
	Values   string `json:"values"`
	// Flux reconciles the tree; nil where Argo CD does.
	Flux *Flux `json:"flux"`
	// Plugin renders the spec in Argo CD; nil where the tree is committed.
	Plugin *Plugin `json:"plugin"`
	ArgoCD struct {
		Namespace   string `json:"namespace"`
		RootProject string `json:"rootProject"`
		Version     string `json:"version"`
		// Layout is app-of-apps or applicationset.
		Layout  string `json:"layout"`
		Project struct {
			Name        string       `json:"name"`
			Create      bool         `json:"create"`
			SyncWindows []SyncWindow `json:"syncWindows"`
			// AlsoAllow is what it allows besides what the components need.
			AlsoAllow AlsoAllow `json:"alsoAllow"`
		} `json:"project"`
		// Applications is what every Application gets besides.
		Applications struct {
			Labels      map[string]string `json:"labels"`
			Annotations map[string]string `json:"annotations"`
		} `json:"applications"`
		Destination struct {
			Server string `json:"server"`
			Name   string `json:"name"`
		} `json:"destination"`
		Sync struct {
			Automated bool `json:"automated"`
			Prune     bool `json:"prune"`
			SelfHeal  bool `json:"selfHeal"`
		} `json:"sync"`
		Deletion string `json:"deletion"`
	} `json:"argocd"`
}

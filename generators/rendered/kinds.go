package rendered

import "github.com/gpugen/gpugen/schema/diag"

func failing(id, title, why, fix string) diag.Kind {
	return diag.Kind{ID: id, Severity: diag.Error, Title: title, Why: why, Fix: fix}
}

func doubtful(id, title, why, fix string) diag.Kind {
	return diag.Kind{ID: id, Severity: diag.Warning, Title: title, Why: why, Fix: fix}
}

// What Argo CD 3.5 does was read in its source at v3.5.1 and seen on its own servers; what
// Flux does, in that of kustomize-controller v1.9.4 and helm-controller v1.6.3.
var (
	unknownField = failing("TREE-101", "A field that Argo CD does not have",
		"The API server drops it, or refuses the object; what it was to say is not said.", "correct the name, or remove the field")
	noProject = failing("TREE-102", "An Application of a project that is not there",
		"Argo CD refuses every Application of a project that it does not know.", "add the AppProject to the tree, or name one that exists with --project")
	repoForbidden = failing("TREE-103", "A repository that the AppProject does not allow",
		"Argo CD answers \"application repo is not permitted in project\", and syncs nothing.", "add the repository to sourceRepos of the AppProject")
	destinationForbidden = failing("TREE-104", "A destination that the AppProject does not allow",
		"Argo CD checks the cluster and the namespace of the Application and of each object, and refuses the sync.", "add cluster and namespace to destinations of the AppProject")
	clusterKindForbidden = failing("TREE-105", "A cluster-scoped kind that the AppProject does not allow",
		"Where clusterResourceWhitelist is empty or absent, no cluster-scoped kind is allowed.", "add group and kind to clusterResourceWhitelist of the AppProject")
	kindForbidden = failing("TREE-106", "A kind that the AppProject does not allow",
		"Argo CD refuses the sync of the whole Application.", "add group and kind to namespaceResourceWhitelist, or take it from the blacklist")
	badProject = failing("TREE-107", "An AppProject that Argo CD refuses",
		"Argo CD does not use a project that is not valid, and with it none of its Applications.", "correct the AppProject")
	noPath = failing("TREE-108", "A source that is not in the tree",
		"Argo CD answers \"app path does not exist\".", "correct the path, or render what is missing")
	unbuildable = failing("TREE-109", "A directory that kustomize does not build",
		"The Application stays in ComparisonError.", "make `kustomize build` work there")
	badDestination = failing("TREE-110", "A destination that names no cluster, or two",
		"Argo CD wants server or name, and refuses both together.", "set one of server and name")
	otherRepo = doubtful("TREE-111", "A directory of the tree by way of another repository",
		"Argo CD would read that repository, and no commit to this one would reach the Application.", "name the repository that the tree is in")
	openRevision = doubtful("TREE-112", "A chart whose version is not pinned",
		"What is deployed changes without a commit.", "name one version in targetRevision")
	ownedTwice = failing("TREE-113", "One object in two places",
		"Two Applications would take it from each other for ever; in one, the last place wins, with a RepeatedResourceWarning.", "keep it in one place")
	badApplicationName = failing("TREE-114", "Applications of one name, or a name that cannot be",
		"The later one replaces the other; where Argo CD tracks by label, the name is a label's value of at most 63 characters.", "give each Application a name of its own, of small letters, digits and dashes")
	noNamespace = failing("TREE-115", "An object without a namespace",
		"It has none, and the Application has no destination.namespace to fill it in.", "set metadata.namespace, or destination.namespace")
	namespaceOfNobody = doubtful("TREE-116", "A namespace that nothing creates, or that does not admit its Pods",
		"The sync fails until somebody creates it; Pod Security refuses Pods above the namespace's level.", "render the Namespace with the label that its Pods need, or set CreateNamespace=true")
	managedMetadata = doubtful("TREE-117", "managedNamespaceMetadata without effect",
		"Argo CD reads it with CreateNamespace=true only, and a Namespace in the tree wins over it.", "put the labels on the Namespace in the tree")
	missingDefinition = doubtful("TREE-118", "An object whose kind comes from elsewhere, or not at all",
		"Argo CD asks the API server before it syncs, which does not know the kind yet; the whole sync fails until then.", "add the annotation argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true to it")
	badWave = failing("TREE-119", "A sync wave that is none, or in the wrong order",
		"Argo CD takes a wave that it cannot read for 0; what is needed must come first.", "write the wave as a quoted integer, below that of what needs it")
	uncoveredStep = failing("TREE-120", "An Application in no step, or in two",
		"RollingSync turns automated sync off and syncs by steps: what no step matches is never synced.", "give each Application a label that just one step matches")
	forcedOff = doubtful("TREE-121", "Automated sync together with RollingSync",
		"RollingSync turns automated sync off, and syncs what changed in git itself: of syncPolicy.automated it reads prune alone.", "remove it from the template; automated: {prune: true} stays, else nothing is pruned")
	largeObject = failing("TREE-122", "An object that is too large",
		"Client-side apply keeps the object in an annotation of at most 262144 bytes; etcd takes 1.5 MiB.", "set ServerSideApply=true, without Replace=true")
	leftoverHook = doubtful("TREE-123", "A Helm hook in rendered manifests",
		"Argo CD runs it at every sync, not at an upgrade only; kubectl and Flux apply it as an ordinary object.", "remove the annotation, or make it a hook of Argo CD")
	liveState = doubtful("TREE-124", "What belongs to the live object in git",
		"The API server or Argo CD set it: a diff that never ends, or an object that another Application takes for its own.", "remove it")
	changingField = doubtful("TREE-125", "A field that a controller fills in",
		"It is empty in git and filled in on the cluster: OutOfSync for ever, or emptied at each sync.", "list it in ignoreDifferences, with RespectIgnoreDifferences=true")
	idleDifference = doubtful("TREE-126", "Differences that are ignored without effect",
		"They match nothing, cannot be read, or are overwritten by the next sync.", "write group, kind and path as the objects have them, and set RespectIgnoreDifferences=true")
	excludedKind = failing("TREE-127", "A kind that Argo CD does not look at",
		"It is excluded in Argo CD's own settings: a warning, and it is never applied.", "leave it to the controller that owns it")
	escaping = failing("TREE-128", "What leads out of the tree",
		"Argo CD refuses links that lead outside, for every Application of the repository, or fetches what nobody reviewed.", "put what it names into the tree")
	unguardedDeletion = doubtful("TREE-129", "A deletion that takes much with it",
		"When it leaves git, or its Application is deleted, everything in it goes at once.", "annotate it with argocd.argoproj.io/sync-options: Prune=confirm,Delete=confirm")
	badValuesRef = failing("TREE-130", "A source that contradicts itself",
		"Argo CD refuses it, or finds no values.", "give $values a source with that ref, which has no chart; use one tool a source")
	staleCache = doubtful("TREE-131", "manifest-generate-paths that leave out what is read",
		"A commit to what is left out does not refresh the Application.", "add the directories that the kustomization reads")
	badSet = failing("TREE-132", "An ApplicationSet that makes the wrong Applications",
		"It makes none, several of one name, or any that a commit asks for.", "correct the generators or the template")
	emptyApplication = doubtful("TREE-133", "An Application without objects",
		"Argo CD refuses to prune everything of an automated Application, or shows one that does nothing.", "remove the Application, or render its objects")
	noManifest = failing("TREE-134", "A file that is no manifest where Argo CD reads all",
		"Without a kustomization Argo CD takes each YAML file for manifests, 10 MB in all, and fails as a whole.", "move it elsewhere, or add a kustomization")
	badManifest = failing("TREE-135", "A manifest that is not what it seems",
		"Of a key that is there twice the last one counts, without a word; what has no kind is dropped or refused.", "correct the manifest")
	unknownOption = failing("TREE-136", "A sync option that Argo CD does not have",
		"Argo CD ignores an option that it does not know, without a word.", "correct the option, such as ServerSideApply=true")
	tooLarge = failing("TREE-137", "A file that is too large to judge",
		"A tree of manifests is small.", "move it elsewhere")
	unservedVersion = failing("TREE-139", "An object of a version that its CRD does not serve",
		"The API server refuses it.", "write a version that the CRD serves")
	noFluxSource = doubtful("TREE-140", "A source of Flux's that is not in the tree",
		"Until the source is there, Flux fetches nothing, and the HelmRelease or Kustomization is not ready.", "add the source, or correct its name and namespace")
	dependsInCircle = failing("TREE-141", "Objects of Flux's that wait for each other",
		"Each waits until the others are ready, so none is ever applied.", "take one of them out of dependsOn")
	dependsOnNothing = doubtful("TREE-142", "A dependency or health check of Flux's that is not in the tree",
		"What waits for an object that nobody makes waits for ever.", "correct name and namespace, or take it out")
	badRelease = failing("TREE-143", "A HelmRelease that Flux refuses, or two of one release",
		"The API server wants chart or chartRef; two HelmReleases of one release undo each other's upgrades.", "keep one of the two")
	badScript = failing("TREE-144", "A customization of Argo CD's that it cannot use",
		"Argo CD has the error in the place of the object's health or action, and an Application with such an object is Unknown.", "correct the script")
	unreadResult = doubtful("TREE-145", "A health check that says what Argo CD does not read",
		"Of what the script returns Argo CD reads status and message alone.", "correct the name")
	projectNotSeen = doubtful("TREE-138", "An Application of a project that is not in the tree",
		"What that project allows cannot be seen here.", "say that it exists with --project")
)

// Kinds are the kinds of findings of this package.
var Kinds = []diag.Kind{
	unknownField, noProject, repoForbidden, destinationForbidden, clusterKindForbidden, kindForbidden, badProject, noPath,
	unbuildable, badDestination, otherRepo, openRevision, ownedTwice, badApplicationName, noNamespace, namespaceOfNobody,
	managedMetadata, missingDefinition, badWave, uncoveredStep, forcedOff, largeObject, leftoverHook, liveState, changingField,
	idleDifference, excludedKind, escaping, unguardedDeletion, badValuesRef, staleCache, badSet, emptyApplication, noManifest,
	badManifest, unknownOption, tooLarge, projectNotSeen, unservedVersion,
	noFluxSource, dependsInCircle, dependsOnNothing, badRelease, badScript, unreadResult,
}

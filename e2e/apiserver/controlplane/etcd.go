package controlplane

import (
	"net/url"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// startEtcd returns when etcd serves clients on the unix socket. Its limit for
// the size of a request is left at the default on purpose: a cluster has it too.
func startEtcd(dir, socket string) error {
	loopback := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config := embed.NewConfig()
	config.Dir = dir
	config.ListenClientUrls = []url.URL{{Scheme: "unix", Path: socket}}
	// Nobody uses it, but a unix URL is refused here.
	config.AdvertiseClientUrls = []url.URL{loopback}
	config.ListenPeerUrls = []url.URL{loopback}
	config.AdvertisePeerUrls = []url.URL{loopback}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	// The data does not outlive the process.
	config.UnsafeNoFsync = true
	quiet := zap.NewProductionConfig()
	quiet.Level = zap.NewAtomicLevelAt(zapcore.ErrorLevel)
	logger, err := quiet.Build()
	if err != nil {
		return err
	}
	config.ZapLoggerBuilder = embed.NewZapLoggerBuilder(logger)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return nil
	case err := <-etcd.Err():
		return err
	}
}

// Package pki makes certificates that live as long as a test.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"sync"
	"time"
)

// lifetime is longer than any test.
const lifetime = 48 * time.Hour

// Authority signs serving certificates for any name.
type Authority struct {
	// PEM is its certificate.
	PEM []byte

	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	mutex       sync.Mutex
	signed      map[string]*tls.Certificate
}

// New makes an authority.
func New(name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	certificate := template(name)
	certificate.IsCA, certificate.BasicConstraintsValid = true, true
	certificate.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, certificate, certificate, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &Authority{
		PEM:         pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		certificate: certificate, key: key, signed: map[string]*tls.Certificate{},
	}, nil
}

// Config serves each name that a client asks for with a certificate of that name.
func (a *Authority) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		// What answers as a CGI program does not speak HTTP/2.
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) { return a.serving(hello.ServerName) },
	}
}

func (a *Authority) serving(name string) (*tls.Certificate, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if there := a.signed[name]; there != nil {
		return there, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	leaf := template(name)
	leaf.DNSNames = []string{name}
	leaf.KeyUsage = x509.KeyUsageDigitalSignature
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	der, err := x509.CreateCertificate(rand.Reader, leaf, a.certificate, key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	a.signed[name] = &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	return a.signed[name], nil
}

func template(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(lifetime),
	}
}

// Package codexbin provides the real Codex binary, pinned: the exact version,
// held to the integrity hash under which it was published.
//
// What belongs here: which versions are known ([Pinned]), downloading,
// verifying and unpacking one of them into a cache ([Fetch]), and finding one
// that is already on the machine ([Find]). What does not: starting Codex,
// speaking its protocol, configuring it.
//
// Codex is published as the npm package @openai/codex; the build for one
// platform is the version "VERSION-PLATFORM" of that package. Only linux/amd64
// is supported. Node is not needed, neither to unpack nor to run it.
//
// # The cache
//
// A version is one folder, which holds the package's vendor tree as it was
// published, since Codex looks for the tools it ships with (rg, bwrap) beside itself:
//
//	DIR/codex-0.171.0-linux-x64/bin/codex
//	DIR/codex-0.171.0-linux-x64/codex-path/rg
//	DIR/codex-0.171.0-linux-x64/codex-resources/bwrap
//	DIR/codex-0.171.0-linux-x64.lock
//
// The folder appears by one rename, after the hash of the whole download was
// right: if it is there, it is complete. The lock keeps two processes from
// downloading the same version at once.
//
// The package imports the standard library and github.com/gofrs/flock only.
package codexbin

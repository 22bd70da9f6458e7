#!/usr/bin/env bash
# Debian's packages for `node test/deploy/run.mjs`, as root. None of their services is started.
set -euo pipefail
if [ ! -e /usr/sbin/policy-rc.d ]; then
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod +x /usr/sbin/policy-rc.d
  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
fi
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  postgresql patroni python3-etcd etcd-server haproxy pgbouncer nginx-light caddy fail2ban prometheus podman buildah runc mmdebstrap

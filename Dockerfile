# docker build -t croupier .
# docker run --rm --read-only --user "$(id -u)" --env ACME_EU_KEY --volume "$PWD:/work" croupier run
#
# docker build --target debian -t croupier:debian .      the same with a shell, for jobs of GitLab and Jenkins
#
# The release passes each base image with its digest: --build-arg BASE_IMAGE=gcr.io/distroless/cc-debian12:nonroot@sha256:…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
ARG BASE_IMAGE=gcr.io/distroless/cc-debian12:nonroot
ARG DEBIAN_IMAGE=debian:bookworm-slim

# The executable for another architecture is built on this one, without an emulator.
FROM --platform=$BUILDPLATFORM $NODE_IMAGE AS build
WORKDIR /src
# The packages have a layer of their own, so that a change of the sources does not install them again.
COPY .npmrc package.json package-lock.json ./
RUN npm ci --ignore-scripts && npm rebuild node
COPY . .
ARG TARGETARCH
RUN arch=$(echo "$TARGETARCH" | sed s/amd64/x64/) \
  && npm run binary -- --target "linux-$arch" \
  && mkdir -p /image/usr/local/bin /image/usr/share/doc/croupier \
  && mv "build/croupier-linux-$arch" /image/usr/local/bin/croupier \
  && mv build/notices.txt /image/usr/share/doc/croupier/THIRD-PARTY-NOTICES.txt \
  && mv build/sbom.cdx.json LICENSE /image/usr/share/doc/croupier/

# With a shell and the tools of Debian. It has no entry point, because CI systems start their own commands in it.
FROM $DEBIAN_IMAGE AS debian
ARG DEBIAN_IMAGE
ARG VERSION=0.1.0
ARG REVISION
ARG SOURCE
LABEL org.opencontainers.image.title="croupier" \
  org.opencontainers.image.description="Tests a game operator's wallet by the rules of the platform's contract" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.source="$SOURCE" \
  org.opencontainers.image.base.name="$DEBIAN_IMAGE"
COPY --from=build /image/ /
# The user has no home folder.
ENV HOME=/tmp
USER 65532:65532
WORKDIR /work
CMD ["croupier", "--help"]

# Only libc, certificates and the executable: no shell, and no root user.
FROM $BASE_IMAGE
ARG BASE_IMAGE
ARG VERSION=0.1.0
ARG REVISION
ARG SOURCE
LABEL org.opencontainers.image.title="croupier" \
  org.opencontainers.image.description="Tests a game operator's wallet by the rules of the platform's contract" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.source="$SOURCE" \
  org.opencontainers.image.base.name="$BASE_IMAGE"
COPY --from=build /image/ /
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["croupier"]

# docker build -t croupier .
# docker run --rm --read-only --user "$(id -u)" --env ACME_EU_KEY --volume "$PWD:/work" croupier run
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci && npm run binary

# Only libc, certificates and the executable: no shell, and no root user.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /src/build/croupier /usr/local/bin/croupier
WORKDIR /work
ENTRYPOINT ["croupier"]

# syntax=docker/dockerfile:1
# The container image; docs/running.md#container says how to run it.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN node scripts/build.mjs

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev

FROM ${NODE_IMAGE}
# What installs packages isn't needed to run. OpenShift runs images as any user of group 0.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
      /usr/local/bin/yarn /usr/local/bin/yarnpkg /opt/yarn-* \
 && mkdir -p /data && chown 10001:0 /data && chmod 0770 /data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules/
COPY --from=build /src/dist/client dist/client/
COPY --from=build /src/dist/server dist/server/
COPY --from=build /src/dist/cli dist/cli/
COPY scripts/sightline.mjs scripts/
COPY package.json LICENSE CHANGELOG.md ./
# The root file system may be read-only: SQLite's temporary files belong to the volume as well.
ENV NODE_ENV=production \
    SQLITE_TMPDIR=/data \
    SIGHTLINE_HOST=0.0.0.0 \
    SIGHTLINE_PORT=8080 \
    SIGHTLINE_OPS_PORT=9090
# Where the default database file is.
WORKDIR /data
USER 10001:0
VOLUME ["/data"]
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SIGHTLINE_OPS_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/scripts/sightline.mjs"]
CMD ["start"]

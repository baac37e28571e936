# syntax=docker/dockerfile:1
# Two images: `--target slim` for the API, the clock and pools without a browser (also what no target gives), and
# `--target browser` with Chromium for the pools crawl, render and scrape.

FROM node:24-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# What is optional is for development: PostgreSQL and Node itself.
RUN --mount=type=cache,target=/root/.npm \
    npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-trixie-slim AS base
RUN groupadd --gid 10001 seo \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin seo \
 && install --directory --owner=10001 --group=10001 /data
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data HOME=/tmp UV_THREADPOOL_SIZE=16 \
    MALLOC_ARENA_MAX=2 NODE_OPTIONS=--max-semi-space-size=8
COPY --from=packages /app/node_modules ./node_modules
COPY package.json LICENSE config.ts telemetry.ts problem.ts admin.ts ./
COPY sql ./sql
COPY tasks ./tasks
COPY worker ./worker
COPY api ./api
# Nothing is written but below /tmp and /data: the root file system may be read-only.
USER 10001:10001
EXPOSE 8080 9464
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT || 9464}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--import", "./telemetry.ts", "api/main.ts"]

FROM base AS browser
USER root
RUN apt-get update \
 && apt-get install --yes --no-install-recommends chromium fonts-liberation fonts-noto-core fonts-noto-cjk tini \
 && rm -rf /var/lib/apt/lists/*
USER 10001:10001
ENV CHROMIUM_PATH=/usr/bin/chromium
# Somebody has to reap what Chromium leaves.
ENTRYPOINT ["tini", "--"]

FROM base AS slim
